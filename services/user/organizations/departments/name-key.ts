/** What two spellings of one department's name share. */
export const nameKey = (name: string): string => name.normalize('NFC').toUpperCase().toLowerCase();
