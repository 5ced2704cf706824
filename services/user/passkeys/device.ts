import type { Passkey } from '@gatehouse/shared/passkeys/records';

/** Where a passkey lives: copied among devices, in a key that is plugged in or held to the device, or in one device. */
export const DEVICE_FAMILIES = ['synced', 'security_key', 'device'] as const;

/** The most common models by their AAGUID. Any other is described by its family. */
const PROVIDERS: Record<string, string> = {
  'fbfc3007-154e-4ecc-8c0b-6e020557d7bd': 'Apple Passwords',
  'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4': 'Google Password Manager',
  '08987058-cadc-4b81-b6e1-30de50dcbe96': 'Windows Hello',
  '9ddd1817-af5a-4672-a2b9-3e3dd95000a9': 'Windows Hello',
  '6028b017-b1d4-4c02-b4b3-afcdafc96bb2': 'Windows Hello',
  'bada5566-a7aa-401f-bd96-45619a55120d': '1Password',
  'd548826e-79b4-db40-a3d8-11116f7e8349': 'Bitwarden',
};

const OF_KEYS: readonly string[] = ['usb', 'nfc', 'ble', 'smart-card'];

export function deviceOf({ synced, transports, aaguid }: Passkey): {
  device_family: (typeof DEVICE_FAMILIES)[number];
  provider: string | null;
} {
  const isKey = transports.length > 0 && transports.every((transport) => OF_KEYS.includes(transport));
  const device_family = synced ? 'synced' : isKey ? 'security_key' : 'device';
  return { device_family, provider: PROVIDERS[aaguid] ?? null };
}
