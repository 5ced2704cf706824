import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import { createServerGatehouse, GatehouseError } from 'gatehouse/server';

/** An API behind the gateway, which forwards `/api/v1/selection/` to it (UPSTREAM_SELECTION). */

const gate = createServerGatehouse({ url: process.env.GATEHOUSE_URL ?? 'http://localhost:8000' });
const app = express();
app.use(express.json());

/** Notes by the id of their person or department. A real API has a database. */
const notes = new Map<string, { text: string; author: string }[]>();
const notesOf = (id: string) => notes.get(id) ?? [];

function addNote(id: string, author: string, body: unknown) {
  const text = (body as { text?: unknown } | undefined)?.text;
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  const note = { text, author };
  notes.set(id, [...notesOf(id), note]);
  return note;
}
const INVALID = { error: { code: 'VALIDATION_ERROR', message: 'text must be a string that is not empty' } };

/** Everybody who is signed in has notes of their own. */
app.get('/api/v1/selection/notes', async (request, response) => {
  const { email, userId } = await gate.require(request);
  response.json({ notes: notesOf(userId ?? email) });
});

app.post('/api/v1/selection/notes', async (request, response) => {
  const { email, userId } = await gate.require(request);
  const note = addNote(userId ?? email, email, request.body);
  response.status(note ? 201 : 400).json(note ?? INVALID);
});

/** Those of a department need a permission there, by the role of the person. */
app.get('/api/v1/selection/departments/:departmentId/notes', async (request, response) => {
  const { departmentId } = request.params;
  await gate.require(request, { permission: 'view knowledge base', departmentId });
  response.json({ notes: notesOf(departmentId) });
});

app.post('/api/v1/selection/departments/:departmentId/notes', async (request, response) => {
  const { departmentId } = request.params;
  const { email } = await gate.require(request, { permission: 'manage Q&A', departmentId });
  const note = addNote(departmentId, email, request.body);
  response.status(note ? 201 : 400).json(note ?? INVALID);
});

/** Answers a refusal in the form of the gateway. */
const onError: ErrorRequestHandler = (error, _request, response, next) => {
  if (!(error instanceof GatehouseError)) return next(error);
  const { status, code, message } = error;
  response.status(status || 503).json({ error: { code: code || 'SERVICE_UNAVAILABLE', message } });
};
app.use(onError);

const server = app.listen(Number(process.env.PORT ?? 3001), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
