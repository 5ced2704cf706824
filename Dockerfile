# One image for the three services; the command selects one. TypeScript runs from source, without a build step.

FROM node:26.10.0-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/account-pages/package.json packages/account-pages/
COPY packages/client/package.json packages/client/
COPY packages/shared/package.json packages/shared/
COPY packages/scim/package.json packages/scim/
COPY packages/sso/package.json packages/sso/
COPY packages/webhooks/package.json packages/webhooks/
COPY services/gateway/package.json services/gateway/
COPY services/login/package.json services/login/
COPY services/user/package.json services/user/
# Leaves out the root's dependencies: tools, and the `node` package, a second Node beside the image's.
# Only redoc's bundle is served, so React and its other dependencies are removed.
RUN --mount=type=cache,target=/npm-cache \
    npm pkg delete dependencies devDependencies \
 && npm ci --cache /npm-cache --omit=dev --ignore-scripts --no-audit --no-fund \
 && mkdir -p /redoc/bundles \
 && mv node_modules/redoc/package.json node_modules/redoc/LICENSE /redoc/ \
 && mv node_modules/redoc/bundles/redoc.standalone.js node_modules/redoc/bundles/redoc.standalone.js.LICENSE.txt /redoc/bundles/ \
 && npm pkg delete dependencies.redoc --workspace=@gatehouse/shared \
 && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
 && mv /redoc node_modules/redoc

FROM node:26.10.0-slim
LABEL org.opencontainers.image.title="Gatehouse" \
      org.opencontainers.image.description="The account backend: gateway, login service and user service" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production
WORKDIR /app
# Before the sources, so that changing them keeps this layer. Workspaces are symbolic links to folders outside
# node_modules, because Node strips types only there.
COPY --from=dependencies /app ./
COPY packages packages
COPY services services
COPY commands commands
# The user `node` by number, which Kubernetes' runAsNonRoot needs. Root owns the files, so it cannot change them.
USER 1000:1000
EXPOSE 8000 8001 8002
# No HEALTHCHECK: the port depends on the service. docker-compose.yml has a check for each.
# Node receives SIGTERM itself, without a shell or npm in between. As process 1 it ignores it in its first second, so
# run it under an init: `docker run --init`, `init: true` in Compose, `shareProcessNamespace` in Kubernetes.
# The gateway strips types with an experimental function of Node, whose warning says nothing to an operator.
ENTRYPOINT ["node", "--disable-warning=ExperimentalWarning"]
CMD ["services/gateway/main.ts"]
