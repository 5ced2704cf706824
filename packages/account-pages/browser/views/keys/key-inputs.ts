import type { KeyPermission } from '@gatehouse/shared/access/key-permissions';
import { ApiError } from '../../gate.ts';
import { html } from '../../html.ts';
import { texts } from '../../key-texts.ts';
import { Field } from '../../parts/field.ts';
import { TextArea } from '../../parts/text-area.ts';
import type { KeyFields, MachineKey } from './calls.ts';
import { PermissionInputs, permissionsIn } from './permission-inputs.ts';

const words = texts.keys;

/** Days after which a new key expires unless the person chooses otherwise. */
const USUAL_LIFETIME = 90;

/** The day of a moment, in the reader's time zone, as an input of dates takes it. */
function dayOf(at: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

const usualEnd = () => dayOf(new Date(Date.now() + USUAL_LIFETIME * 86_400_000));
const endOf = (key?: MachineKey): string => {
  if (!key) return usualEnd();
  return key.expires_at === null ? '' : dayOf(new Date(key.expires_at));
};

/** Everything that people set of a key. */
export const KeyInputs = ({
  record,
  permissionsHint,
  offered,
}: {
  record?: MachineKey;
  permissionsHint: string;
  offered: readonly KeyPermission[];
}) => html`
  <${Field} name="name" label=${words.name} hint=${words.nameHint} value=${record?.name} maxlength="100" autocomplete="off" autofocus />
  <${PermissionInputs} hint=${permissionsHint} offered=${offered} chosen=${record?.permissions} />
  <${Field} name="expires_at" type="date" label=${words.expires} hint=${words.expiresHint} value=${endOf(record)} required=${false} />
  <${TextArea} name="networks" label=${words.networks} hint=${words.networksHint} value=${record?.networks.join('\n')} maxlength=${1500} />
`;

/** Reads the fields of a key from its form. @throws {ApiError} if no permission is chosen. */
export function keyFieldsIn(fields: Record<string, string>): KeyFields {
  const permissions = permissionsIn(fields);
  if (permissions.length === 0) throw new ApiError(words.noPermissions);
  const { name = '', networks = '', expires_at = '' } = fields;
  return {
    name: name.trim(),
    permissions,
    networks: networks.split(/[\s,]+/).filter(Boolean),
    expires_at: expires_at === '' ? null : new Date(`${expires_at}T23:59:59`).toISOString(),
  };
}

/** Only what has changed: another tab may be changing the rest. */
export function changesOf(fields: KeyFields, key: MachineKey, given: string | undefined): Partial<KeyFields> {
  const isSame = (one: string[], other: string[]) => one.toSorted().join() === other.toSorted().join();
  return {
    ...(fields.name !== key.name && { name: fields.name }),
    ...(!isSame(fields.permissions, key.permissions) && { permissions: fields.permissions }),
    ...(!isSame(fields.networks, key.networks) && { networks: fields.networks }),
    // The hour of an expiry that another program has set stays unless the day is another one.
    ...(given !== endOf(key) && { expires_at: fields.expires_at }),
  };
}
