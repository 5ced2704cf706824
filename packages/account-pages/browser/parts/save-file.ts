import { getFile } from '../gate.ts';

/** Calls the API for a file, which needs the bearer, and saves it under the name that the answer has. */
export async function saveFile(path: string, fallbackName: string): Promise<void> {
  const response = await getFile(path);
  const disposition = response.headers.get('content-disposition') ?? '';
  const name = /filename="([^"]+)"/.exec(disposition)?.[1] ?? fallbackName;
  saveBlob(await response.blob(), name);
}

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  // The browser has taken the file over when the click returns; Safari reads it a moment later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
