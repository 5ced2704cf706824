/** Returns the form in which two spellings of a distinguished name are equal (RFC 4514 §2.4, RFC 4517 §4.2.15). */
export const dnKey = (name: string): string =>
  (name.match(/(?:\\.|[^\\,])+/gs) ?? [])
    .map((part) => {
      const [type = '', ...value] = part.split('=');
      return `${type.trim()}=${JSON.stringify(withoutEscapes(value.join('=').trim()))}`;
    })
    .join()
    .toLowerCase();

/** Decodes in one pass: a backslash decoded from an escape does not begin another. */
const withoutEscapes = (value: string): string =>
  value.replace(/((?:\\[0-9a-f]{2})+)|\\(.)/gis, (_escape, bytes: string | undefined, character: string) =>
    bytes === undefined ? character : Buffer.from(bytes.replaceAll('\\', ''), 'hex').toString(),
  );
