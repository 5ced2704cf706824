import { texts } from '../account-texts.ts';
import { html } from '../html.ts';
import { Lazy } from '../parts/lazy.ts';
import { ResultToast, useResult } from '../parts/result.ts';
import { Tabs } from '../parts/tabs.ts';
import { useQuery } from '../router.ts';

const { details, security, devices, developers, data } = texts.profile.parts;

const TABS = [
  { name: 'details', path: '/profile', title: details },
  { name: 'security', path: '/profile?part=security', title: security },
  { name: 'devices', path: '/profile?part=devices', title: devices },
  { name: 'developers', path: '/profile?part=developers', title: developers },
  { name: 'data', path: '/profile?part=data', title: data },
];

const PARTS = {
  details: () => import('./profile/details.ts'),
  security: () => import('./profile/security.ts'),
  devices: () => import('./profile/devices.ts'),
  developers: () => import('./profile/developers.ts'),
  data: () => import('./profile/data.ts'),
};

/** The account of the person: their details, what protects it, where they are signed in, the keys of their programs, and their data. */
export default function ProfilePage() {
  const part = useQuery().get('part') ?? '';
  const current = part in PARTS ? (part as keyof typeof PARTS) : 'details';
  const result = useResult();
  return html`
    <h1>${texts.titles.profile}</h1>
    <${Tabs} label=${texts.titles.profile} current=${current} tabs=${TABS} />
    <${Lazy} key=${current} load=${PARTS[current]} result=${result} />
    <${ResultToast} result=${result} />
  `;
}
