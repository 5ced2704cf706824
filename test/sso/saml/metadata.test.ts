import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { readIdpMetadata } from '../../../packages/sso/saml/metadata.ts';
import { signingKey } from '../../fixtures/certificates.ts';

const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';

let current: string;
let next: string;

beforeAll(async () => {
  [current, next] = (
    await Promise.all(['current', 'next'].map(async (name) => (await signingKey(name)).certificate))
  ).map((pem) => new X509Certificate(pem).toString()) as [string, string];
});

const base64 = (pem: string) => pem.replace(/-----.*-----/g, '');
const key = (pem: string, use = 'use="signing"') =>
  `<KeyDescriptor ${use}><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${base64(pem)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>`;
const service = (name: string, binding: string, location: string) =>
  `<${name} Binding="${binding}" Location="${location}"/>`;
const sso = service('SingleSignOnService', REDIRECT, 'https://idp.example/sso?tenant=a&amp;b=c');

const NAMES = 'xmlns="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#"';
const entity = (content: string) =>
  `<EntityDescriptor ${NAMES} entityID="https://idp.example/metadata">${content}</EntityDescriptor>`;
const idp = (content: string) =>
  entity(`<IDPSSODescriptor protocolSupportEnumeration="${PROTOCOL}">${content}</IDPSSODescriptor>`);

describe('readIdpMetadata', () => {
  it('returns the entity ID, the redirect bindings and every certificate that signs', () => {
    const xml = `\ufeff<?xml version="1.0"?>\n<!-- Rollover until May -->${idp(
      [
        key(current),
        key(next, ''),
        key(current, 'use="encryption"'),
        service('SingleLogoutService', POST, 'https://idp.example/slo-post'),
        service('SingleLogoutService', REDIRECT, 'https://idp.example/slo'),
        service('SingleSignOnService', POST, 'https://idp.example/sso-post'),
        sso,
      ].join('\n'),
    )}`;

    expect(readIdpMetadata(xml)).toEqual({
      idp_entity_id: 'https://idp.example/metadata',
      sso_url: 'https://idp.example/sso?tenant=a&b=c',
      slo_url: 'https://idp.example/slo',
      certificates: [current, next],
      wants_signed_requests: false,
    });
  });

  it('takes the POST binding of a provider without redirect binding, and no single logout', () => {
    const xml = idp(key(current) + service('SingleSignOnService', POST, 'https://idp.example/sso-post'));
    expect(readIdpMetadata(xml)).toMatchObject({ sso_url: 'https://idp.example/sso-post', slo_url: null });
  });

  it('reads one provider inside an EntitiesDescriptor', () => {
    const xml = `<EntitiesDescriptor ${NAMES}>${idp(key(current) + sso)}</EntitiesDescriptor>`;
    expect(readIdpMetadata(xml).idp_entity_id).toBe('https://idp.example/metadata');
  });

  it.each([
    [
      'no XML',
      () => 'https://idp.example/metadata',
      /^metadata must be an XML document, but it is not well-formed/,
    ],
    ['an empty text', () => '', /^metadata must be an XML document/],
    ['an HTML page', () => '<!DOCTYPE html><html></html>', /has a document type declaration/],
    ['an unclosed element', () => idp(key(current) + sso).slice(0, -3), /is not well-formed XML/],
    [
      'an entity bomb',
      () => `<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]>${idp(key(current) + sso)}`,
      /has a document type declaration/,
    ],
    ['an undefined entity', () => idp(`${key(current) + sso}&boom;`), /is not well-formed XML/],
    [
      'several providers',
      () => `<EntitiesDescriptor ${NAMES}>${idp(key(current) + sso).repeat(2)}</EntitiesDescriptor>`,
      /^metadata must describe one identity provider; they contain several$/,
    ],
    ['a service provider', () => entity('<SPSSODescriptor/>'), /must have an IDPSSODescriptor/],
    ['other XML', () => '<rss version="2.0"/>', /an EntityDescriptor$/],
    [
      'no entity ID',
      () => idp(key(current) + sso).replace(/entityID="[^"]*"/, ''),
      /must name their entityID/,
    ],
    ['no address', () => idp(key(current)), /must have a SingleSignOnService/],
    [
      'an address of another scheme',
      () => idp(key(current) + service('SingleSignOnService', REDIRECT, 'javascript:alert(1)')),
      /must name the SingleSignOnService by an address that begins with https/,
    ],
    ['no certificate', () => idp(sso), /must contain a certificate that signs/],
    [
      'a certificate that only encrypts',
      () => idp(key(current, 'use="encryption"') + sso),
      /must contain a certificate that signs/,
    ],
    ['a broken certificate', () => idp(key('AAAA') + sso), /contain a certificate that cannot be read/],
    ['a weak certificate', () => idp(key(WEAK) + sso), /without an RSA key of 2048 bits or more/],
    ['an elliptic curve', () => idp(key(CURVE) + sso), /without an RSA key of 2048 bits or more/],
    ['a huge document', () => idp(key(current) + sso + ' '.repeat(512 * 1024)), /must not exceed 512 KiB/],
    ['too many elements', () => idp('<a/>'.repeat(20_001)), /has too many elements/],
    ['too many attributes', () => idp(`<a ${'b="" '.repeat(10_001)}/>`), /has too many attributes/],
    ['too many namespaces', () => idp('<a xmlns:b="c"/>'.repeat(2_001)), /has too many namespaces/],
    ['deep nesting', () => idp('<a>'.repeat(101) + '</a>'.repeat(101)), /is nested too deeply/],
  ])('refuses %s', (_what, xml, problem) => {
    expect(() => readIdpMetadata(xml())).toThrow(
      expect.objectContaining({ reason: 'invalidFormat', message: expect.stringMatching(problem) }),
    );
  });
});

/** Certificates of RSA with 1024 bits and of P-256. */
const WEAK =
  'MIIB/DCCAWWgAwIBAgIUTTHgGFZovC0reFPVyObtAtQ0ncUwDQYJKoZIhvcNAQELBQAwDzENMAsGA1UEAwwEd2VhazAgFw0yNjExMjExNzM4MDNaGA8yMTI2MTAyODE3MzgwM1owDzENMAsGA1UEAwwEd2VhazCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEAxg2IMxbllFtfAzbP3TKZIjFKwMppbMDdFSIryjsROUyYiQ+CtRLoKlbHVL43htP6qEaaNQftPQU6Rr4hftkvJCaJGHfUpAEy07D38U7Zn5fJGGPHeEDaNxiSfZADPYjVCcn7fRF4dUF9guod6ffulG3m3rpSp4YPYXR2IuHVmD8CAwEAAaNTMFEwHQYDVR0OBBYEFBwelpM2J9rL0h1RHzbPtLbR2d6gMB8GA1UdIwQYMBaAFBwelpM2J9rL0h1RHzbPtLbR2d6gMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQADgYEAqi7Rna5LQHoHp+1S5ftjVEtuSOz6Vz0DTJGMilvBfGrQkecGHPRGxSyVvHNrJwbnICWMopYTDyXcEcWQ6+tOQv+/RrUMPla5KK1HEn4HwhAnqQ4lqCOtma7uY8YUrUb7eS0jC0Y7HOSf9ez/9SNdCexo8Lzs1swvIEMRMVWzzoc=';
const CURVE =
  'MIIBdzCCAR2gAwIBAgIUFHPwKn4UxbElJWNHDdyPOqXeqfowCgYIKoZIzj0EAwIwEDEOMAwGA1UEAwwFY3VydmUwIBcNMjYxMTIxMTczODAzWhgPMjEyNjEwMjgxNzM4MDNaMBAxDjAMBgNVBAMMBWN1cnZlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEt0iy+JTk91T3AbdKdSIJho4/YLWoJ/KtyZbIC8W3I5Mc8FilOp7LqdalLexPRsbAvyouGdAD/f3AFt5BGi7pNqNTMFEwHQYDVR0OBBYEFCU/cyBkz/yKWbWxj3itGij3+kYdMB8GA1UdIwQYMBaAFCU/cyBkz/yKWbWxj3itGij3+kYdMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAIRpPF0VZnf4m+CLPCJ7lSYMmnwKENyNRAzXVSlWKxQEAiAMnMe3rhNCR2qBr07EMX3gXyNtaT828/IfYTK5HLLCHQ==';
