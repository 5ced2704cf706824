import type { FailureTexts } from './texts.ts';

export const en: FailureTexts = {
  kinds: {
    login: { title: 'Sign-in failed', heading: 'You are not signed in', way: 'Back to sign-in' },
    link: { title: 'Not linked', heading: 'Nothing was linked', way: 'To your account' },
    logout: { title: 'Sign-out failed', heading: 'You may still be signed in', way: 'To your account' },
    address: { title: 'Not found', heading: 'This page does not exist', way: 'To the start page' },
  },
  forAdministrator: 'For your administrator: request',
  loggedOut: {
    title: 'Signed out',
    heading: 'You are logged out',
    text: 'Your identity provider has ended your session here.',
    way: 'Back to sign-in',
  },
  address: 'Check the address, or begin on the start page.',
  messages: {},
};
