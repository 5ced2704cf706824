import { mailboxOf } from '@gatehouse/shared/identity/mailbox';
import { expect, test } from 'vitest';

test.each<[address: string, mailbox: string]>([
  ['Ada@Example.COM', 'ada@example.com'],
  ['ada+shop@example.com', 'ada@example.com'],
  ['ada+shop+2@example.com', 'ada@example.com'],
  ['+ada@example.com', '+ada@example.com'],
  ['a.d.a@example.com', 'a.d.a@example.com'],
  ['A.d.a+shop@gmail.com', 'ada@gmail.com'],
  ['ada@googlemail.com', 'ada@gmail.com'],
  ['a.da@pm.me', 'ada@proton.me'],
  ['a.da+shop@mac.com', 'a.da@icloud.com'],
  ['a.da+shop@outlook.com', 'a.da@outlook.com'],
  ['ada+shop@fastmail.com', 'ada@fastmail.com'],
])('%s reaches the mailbox %s', (address, mailbox) => {
  expect(mailboxOf(address)).toBe(mailbox);
});
