import { GatehouseError } from 'gatehouse';
import { useGatehouse } from 'gatehouse/react';
import { useCallback, useEffect, useState } from 'react';
import { Form } from './form.tsx';

/** A path of the Express API, which is behind the gateway. */
const NOTES = '/api/v1/selection/notes';

export function Home() {
  const gate = useGatehouse();
  const [person, setPerson] = useState('');
  const [notes, setNotes] = useState<string[]>([]);

  const load = useCallback(async () => {
    const { data, error } = await gate.GET('/api/v1/users/me');
    setPerson(data ? `${data.name} (${data.email})` : error.message);
    const answer = await gate.fetch(NOTES);
    setNotes((await answer.json()).notes.map((note: { text: string }) => note.text));
  }, [gate]);
  async function add(note: object) {
    const headers = { 'content-type': 'application/json' };
    await gate.fetch(NOTES, { method: 'POST', headers, body: JSON.stringify(note) });
    await load();
  }
  /** `fetch` throws what the calls above return. */
  const messageOf = (error: unknown) => (error instanceof GatehouseError ? error.message : String(error));
  useEffect(() => void load().catch((error) => setPerson(messageOf(error))), [load]);

  return (
    <>
      <p>{person}</p>
      <button type="button" onClick={() => gate.signOut()}>
        Sign out
      </button>
      <ul>
        {notes.map((note, index) => (
          <li key={index}>{note}</li>
        ))}
      </ul>
      <Form
        button="Add"
        inputs={{ Note: { name: 'text' } }}
        submit={(note) => add(note).then(() => undefined, messageOf)}
      />
    </>
  );
}
