# One image for the three services; the command selects the service. Node runs the TypeScript sources: no build.

FROM node:26-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/shared/package.json packages/shared/
COPY services/gateway/package.json services/gateway/
COPY services/login/package.json services/login/
COPY services/user/package.json services/user/
# Drops the root's own dependencies: development tools, and the `node` package, a second copy of Node.
# Keeps only redoc's bundle, which is served, and drops the packages it was built from.
RUN --mount=type=cache,target=/npm-cache \
    npm pkg delete dependencies devDependencies \
 && npm ci --cache /npm-cache --omit=dev --ignore-scripts --no-audit --no-fund \
 && mkdir -p /redoc/bundles \
 && mv node_modules/redoc/package.json node_modules/redoc/LICENSE /redoc/ \
 && mv node_modules/redoc/bundles/redoc.standalone.js node_modules/redoc/bundles/redoc.standalone.js.LICENSE.txt /redoc/bundles/ \
 && npm pkg delete dependencies.redoc --workspace=@gatehouse/shared \
 && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
 && mv /redoc node_modules/redoc

FROM node:26-slim
ENV NODE_ENV=production
WORKDIR /app
# Copied before the sources, so that a change to them keeps this layer cached. Workspaces stay symbolic links to
# folders outside node_modules, because Node strips no types inside it.
COPY --from=dependencies /app ./
COPY packages/shared packages/shared
COPY services services
# The user `node`, by number: Kubernetes' runAsNonRoot rejects a name. Root owns the files, so it cannot change them.
# No HEALTHCHECK: each service has a port of its own; docker-compose.yml has one check for each.
USER 1000:1000
EXPOSE 8000 8001 8002
# Node is PID 1 and receives SIGTERM itself, with no shell or npm in between.
ENTRYPOINT ["node"]
CMD ["services/gateway/main.ts"]
