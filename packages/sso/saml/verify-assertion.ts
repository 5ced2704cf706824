import { requireFresh } from '../login/fresh-login.ts';
import { SsoRefusal } from '../refusal.ts';
import { BEARER, NAME_ID_FORMAT, NAMESPACE } from './names.ts';
import { attribute, childElements, textOf } from './xml.ts';

/** The recipient, request and audience that an assertion must name. */
export interface Expected {
  /** Its issuer, the provider's entity ID. */
  issuer: string;
  /** Our entity ID for the connection. */
  audience: string;
  /** Our address that receives it. */
  recipient: string;
  /** The ID of our request; undefined when the login began at the provider. */
  inResponseTo: string | undefined;
  /** When our request asked for a fresh login (ForceAuthn). */
  authenticatedAfter: Date | undefined;
  /** Unix milliseconds. */
  now: number;
}

/** The statements of an assertion that has passed every check. */
export interface Assertion {
  id: string;
  subject: string;
  subjectFormat: string | undefined;
  /** By which the provider will end the session. */
  sessionIndex: string | undefined;
  /** When the provider wants the session to end, give or take the skew; Unix milliseconds. */
  sessionUntil: number | undefined;
  /** The values of each attribute, by its Name and by its FriendlyName. */
  attributes: Record<string, string[]>;
  /** When it is no longer accepted; Unix milliseconds. */
  acceptedUntil: number;
}

/** Milliseconds by which a provider's clock may differ from ours. */
export const CLOCK_SKEW = 60_000;

const refuse = (detail: string): never => {
  throw new SsoRefusal('message refused', detail);
};

const children = (parent: Element, name: string) => childElements(parent, NAMESPACE.assertion, name);

/** Returns the child of a name. There must be exactly one. */
function onlyChild(parent: Element, name: string): Element {
  const [child, another] = children(parent, name);
  if (!child || another) return refuse(`${parent.localName} must have exactly one ${name}`);
  return child;
}

/**
 * Checks an assertion whose signature is verified (SAML 2.0 Profiles §4.1.4.3): who issued it, for whom, for which
 * request and when.
 * @throws {SsoRefusal} message refused.
 */
export function verifyAssertion(assertion: Element, expected: Expected): Assertion {
  if (assertion.localName !== 'Assertion' || assertion.namespaceURI !== NAMESPACE.assertion)
    return refuse(`the signed element is a ${assertion.localName}, not an Assertion`);
  if (attribute(assertion, 'Version') !== '2.0') return refuse('the assertion is not of SAML 2.0');
  const id = attribute(assertion, 'ID') || refuse('the assertion has no ID');
  verifyIssuer(assertion, expected.issuer);
  verifyConditions(onlyChild(assertion, 'Conditions'), expected);

  const subject = onlyChild(assertion, 'Subject');
  const confirmedUntil = verifyConfirmations(subject, expected);
  const [statement] = children(assertion, 'AuthnStatement');
  if (!statement) return refuse('the assertion has no AuthnStatement');
  verifyPeriod(statement, expected.now, { until: 'SessionNotOnOrAfter' });
  requireFresh(expected.authenticatedAfter, timeOf(statement, 'AuthnInstant'), CLOCK_SKEW);

  const nameId = onlyChild(subject, 'NameID');
  const sessionEnd = timeOf(statement, 'SessionNotOnOrAfter');
  return {
    id,
    subject: subjectOf(nameId, expected.audience),
    subjectFormat: attribute(nameId, 'Format'),
    sessionIndex: attribute(statement, 'SessionIndex') || undefined,
    sessionUntil: sessionEnd === undefined ? undefined : sessionEnd + CLOCK_SKEW,
    attributes: attributesOf(assertion),
    acceptedUntil: confirmedUntil + CLOCK_SKEW,
  };
}

/** Requires the Issuer of a message or an assertion. */
export function verifyIssuer(parent: Element, issuer: string): void {
  const actual = textOf(onlyChild(parent, 'Issuer'));
  if (actual !== issuer) refuse(`the issuer is ${actual}, not ${issuer}`);
}

function verifyConditions(conditions: Element, { audience, now }: Expected): void {
  verifyPeriod(conditions, now);
  const restrictions = children(conditions, 'AudienceRestriction');
  if (restrictions.length === 0) refuse('the assertion names no audience');
  for (const restriction of restrictions) {
    const audiences = children(restriction, 'Audience').map(textOf);
    if (!audiences.includes(audience)) refuse(`the audience is ${audiences.join(', ')}, not ${audience}`);
  }
  // A condition that is not understood makes the assertion indeterminate (SAML 2.0 Core §2.5.1.1). Every assertion is
  // used once, and none is passed on.
  const known = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'].flatMap((name) =>
    children(conditions, name),
  );
  const unknown = childElements(conditions).find((condition) => !known.includes(condition));
  if (unknown) refuse(`the condition ${unknown.localName} is unknown`);
}

/**
 * Requires one confirmation of the subject that lets the bearer in here and now.
 * @returns until when any of them does; Unix milliseconds.
 */
function verifyConfirmations(subject: Element, expected: Expected): number {
  const bearers = children(subject, 'SubjectConfirmation').filter(
    (confirmation) => attribute(confirmation, 'Method') === BEARER,
  );
  if (bearers.length === 0) return refuse('the subject has no bearer confirmation');
  const checked = bearers.map((confirmation) => {
    try {
      return { until: verifyConfirmation(confirmation, expected) };
    } catch (problem) {
      return { until: Number.NEGATIVE_INFINITY, problem };
    }
  });
  if (checked.every(({ problem }) => problem)) throw checked[0]?.problem;
  return Math.max(...checked.map(({ until }) => until));
}

function verifyConfirmation(confirmation: Element, { recipient, inResponseTo, now }: Expected): number {
  const details = onlyChild(confirmation, 'SubjectConfirmationData');
  const actual = attribute(details, 'Recipient');
  if (actual !== recipient) return refuse(`the recipient is ${actual ?? 'absent'}, not ${recipient}`);
  verifyInResponseTo(details, inResponseTo);
  verifyPeriod(details, now);
  return timeOf(details, 'NotOnOrAfter') ?? refuse('the SubjectConfirmationData has no NotOnOrAfter');
}

/** Requires the answer to our request, or to none if the login began at the provider. */
export function verifyInResponseTo(element: Element, inResponseTo: string | undefined): void {
  const actual = attribute(element, 'InResponseTo');
  if (actual !== inResponseTo)
    refuse(`InResponseTo is ${actual ?? 'absent'}, not ${inResponseTo ?? 'absent'}`);
}

/** Requires the present to be inside a period, give or take the skew of the clocks. */
export function verifyPeriod(
  element: Element,
  now: number,
  { from = 'NotBefore', until = 'NotOnOrAfter' }: { from?: string; until?: string } = {},
): void {
  const present = new Date(now).toISOString();
  const begin = timeOf(element, from);
  const end = timeOf(element, until);
  if (begin !== undefined && now + CLOCK_SKEW < begin)
    refuse(`${from} is ${attribute(element, from)}, but our clock shows ${present}`);
  if (end !== undefined && now - CLOCK_SKEW >= end)
    refuse(`${until} is ${attribute(element, until)}, but our clock shows ${present}`);
}

/** Returns a time in Unix milliseconds; undefined when it is absent. SAML times are in UTC (Core §1.3.3). */
export function timeOf(element: Element, name: string): number | undefined {
  const text = attribute(element, name);
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  return Number.isNaN(time) ? refuse(`${name} is ${text}, which is not a time in UTC`) : time;
}

/** Returns the person's identifier at the provider, which must stay the same from login to login. */
export function subjectOf(nameId: Element, audience: string): string {
  const subject = textOf(nameId);
  if (subject === '' || subject.length > 1024)
    return refuse('the NameID is empty or longer than 1024 characters');
  if (attribute(nameId, 'Format') === NAME_ID_FORMAT.transient)
    return refuse('the NameID is transient; have the provider send a persistent one');
  const qualifier = attribute(nameId, 'SPNameQualifier');
  if (qualifier !== undefined && qualifier !== audience)
    return refuse(`the NameID is for ${qualifier}, not ${audience}`);
  return subject;
}

function attributesOf(assertion: Element): Record<string, string[]> {
  const found = new Map<string, string[]>();
  for (const statement of children(assertion, 'AttributeStatement')) {
    for (const element of children(statement, 'Attribute')) {
      const values = children(element, 'AttributeValue').map(textOf);
      for (const name of new Set([attribute(element, 'Name'), attribute(element, 'FriendlyName')])) {
        if (name) found.set(name, [...(found.get(name) ?? []), ...values]);
      }
    }
  }
  return Object.fromEntries(found);
}
