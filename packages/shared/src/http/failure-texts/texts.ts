export type FailureKind = 'login' | 'link' | 'logout' | 'address';

export interface FailureTexts {
  kinds: Record<FailureKind, { title: string; heading: string; way: string }>;
  forAdministrator: string;
  loggedOut: { title: string; heading: string; text: string; way: string };
  address: string;
  /** By the message of the API, which is in English. */
  messages: Readonly<Record<string, string>>;
  /** What to do after a message that is not in `messages`; English shows the message itself. */
  unknown?: string;
}
