import { newEmail } from '@gatehouse/shared/contract/direct';
import { isLanguage, type Language } from '@gatehouse/shared/http/language';
import type { User } from '@gatehouse/shared/identity/user-record';
import { fullName } from '../provisioning/account.ts';

/** What a preset reads of a person. Fields are checked later. */
export interface Person {
  email: unknown;
  /** Whether the other system had the address verified. */
  verified: boolean;
  /** The id in the other system. */
  id?: unknown;
  /** Their `user_id`, from another Gatehouse. */
  user_id?: unknown;
  name?: unknown;
  firstName?: unknown;
  lastName?: unknown;
  account_status?: User['account_status'];
  /** In a notation that foreign-hashes/ knows; absent where the person has no password. */
  password_hash?: unknown;
  /** ISO 8601, or Unix milliseconds. */
  created_at?: unknown;
  last_login?: unknown;
  phone?: unknown;
  company?: unknown;
  role?: unknown;
  language?: unknown;
  /** Their plan, from another Gatehouse. */
  plan?: Partial<Record<(typeof PLAN_FIELDS)[number], unknown>>;
}

/** Fields of an account about its plan. */
export const PLAN_FIELDS = [
  'payment_status',
  'subscription_id',
  'subscription_plan',
  'subscription_date',
  'subscription_expiry',
] as const;

/** A person whose fields are checked. What does not fit is left out, unless an account needs it. */
export interface CheckedPerson {
  email: string;
  name: string;
  verified: boolean;
  account_status: User['account_status'];
  id?: string;
  user_id?: string;
  password_hash?: string;
  created_at?: Date;
  /** Optional fields of the account. */
  profile: Partial<Pick<User, 'last_login' | 'phone' | 'company' | 'role' | 'language'>> &
    Partial<Pick<User, (typeof PLAN_FIELDS)[number]>>;
}

/** Why a person cannot have an account. */
export class PersonProblem extends Error {}

/** @throws {PersonProblem} when the person cannot have an account. */
export function checkPerson(person: Person): CheckedPerson {
  const { success, data: email, error } = newEmail.safeParse(person.email);
  if (!success) throw new PersonProblem(`e-mail ${error.issues[0]?.message}`);
  const { user_id } = person;
  if (user_id !== undefined && (typeof user_id !== 'string' || !/^User-[1-9]\d{5,15}$/.test(user_id)))
    throw new PersonProblem('user_id must be User- and at least six digits');
  const { verified } = person;
  const created_at = dateOf(person.created_at);
  const last_login = dateOf(person.last_login)?.toISOString();
  const id = lineOf(person.id);
  const language = languageOf(person.language);
  const texts = {
    phone: PHONE.exec(lineOf(person.phone) ?? '')?.[0],
    company: lineOf(person.company),
    role: lineOf(person.role),
    ...Object.fromEntries(PLAN_FIELDS.map((field) => [field, lineOf(person.plan?.[field])])),
  };
  const profile = Object.fromEntries(
    Object.entries({ ...texts, last_login, language }).filter(([, value]) => value !== undefined),
  );
  return {
    email,
    name: nameOf(person) ?? email.slice(0, email.lastIndexOf('@')),
    verified,
    account_status: statusOf(person),
    profile,
    ...(id !== undefined && { id }),
    ...(typeof user_id === 'string' && { user_id }),
    ...(created_at && { created_at }),
    ...(typeof person.password_hash === 'string' &&
      person.password_hash !== '' && { password_hash: person.password_hash }),
  };
}

/** An account whose address is not verified is paused until it is, unless it is disabled. */
function statusOf({ verified, account_status = 'active' }: Person): User['account_status'] {
  return verified || account_status === 'disabled' ? account_status : 'paused';
}

const PHONE = /^\+?[0-9 ().-]{3,32}$/;

const nameOf = ({ name, firstName, lastName }: Person): string | undefined =>
  lineOf(name) ?? lineOf(`${lineOf(firstName) ?? ''} ${lineOf(lastName) ?? ''}`);

/** Returns a text as one line of at most 200 characters, without what could pass for other text. */
const lineOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? fullName({ firstName: value, lastName: '' }) : undefined;

/**
 * Returns a time from 1970 until now.
 * @param value ISO 8601, or Unix milliseconds, also as a string.
 */
function dateOf(value: unknown): Date | undefined {
  const isNumber = typeof value === 'string' && /^\d{10,15}$/.test(value);
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const date = new Date(isNumber ? Number(value) : value);
  return date.getTime() >= 0 && date.getTime() <= Date.now() ? date : undefined;
}

function languageOf(value: unknown): Language | undefined {
  const [language] = typeof value === 'string' ? value.toLowerCase().split(/[-_]/) : [];
  return isLanguage(language) ? language : undefined;
}
