import type { CityResponse } from 'maxmind';

/** An approximate place. */
interface Place {
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** In English; null where the database knows only the country. */
  city: string | null;
}

/** Returns the approximate place of an address; null if it is unknown. */
export type Locate = (address: string) => Place | null;

/**
 * Opens a local database in MaxMind's format. No address leaves the service. Without a database, no place is known.
 * @throws when the file cannot be read, or is no such database.
 */
export async function openGeolocation(path: string | undefined): Promise<Locate> {
  if (path === undefined) return () => null;
  const { open } = await import('maxmind');
  const database = await open<CityResponse>(path).catch((cause) => {
    throw new Error(`GEOIP_DATABASE ${path} cannot be opened: ${cause.message}`, { cause });
  });
  return (address) => {
    const found = database.get(address);
    if (!found?.country) return null;
    return { country: found.country.iso_code, city: found.city?.names.en ?? null };
  };
}
