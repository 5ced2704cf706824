import { readForeignHash } from '@gatehouse/shared/identity/foreign-hashes/foreign-hash';
import { describe, expect, test } from 'vitest';

const LETMEIN = 'lètmein';
const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64').replaceAll('=', '');

/** From the specification or the project's own tests where named; the others were made by Python's hashlib and libxcrypt. */
const VECTORS: [from: string, password: string, hash: string][] = [
  ['bcrypt 2a, crypt_blowfish', 'U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['bcrypt 2b', LETMEIN, '$2b$05$CCCCCCCCCCCCCCCCCCCCC./mc37Kdhrv0B3/.B13E.XXGgHg1yCoy'],
  ['bcrypt 2y', 'Hello world!', '$2y$05$CCCCCCCCCCCCCCCCCCCCC.z6PrHbuSsMSSwIGFy1JGevQZf6CqJ1y'],
  [
    'bcrypt of more than 72 bytes',
    'y'.repeat(100),
    '$2b$05$CCCCCCCCCCCCCCCCCCCCC.4eQhVFG83RE7Ujg6.w.JlWjHZKEWAHC',
  ],
  [
    'bcrypt_sha256 of Django',
    LETMEIN,
    'bcrypt_sha256$$2b$05$CCCCCCCCCCCCCCCCCCCCC.bdNwF18LmuBgx.3vdUAHc5aN/.UHaVC',
  ],
  ['bcrypt of WordPress 6.8', 'admin', '$wp$2y$10$Q1xinFjrZeLWJBvxviIL6u834Fu.evIEFHAUVisQ5O.w9Dm0sMdES'],
  ['argon2i', 'password', '$argon2i$v=19$m=16,t=2,p=1$ZVZWeGtzNVZqeExTVzNSOA$fx0EYEB1zO8i+J2H+OFI4w'],
  ['argon2d', 'password', '$argon2d$v=19$m=16,t=2,p=1$Mmx3eWR3YkJONkhoTGFnNA$HD1EIj2bqdfwQrJDP+FY6w'],
  ['argon2id', 'password', '$argon2id$v=19$m=16,t=2,p=1$UmtRRmdBRU53QlptNk8ycw$UyyArpJ8yasrc93GImQjFQ'],
  [
    'argon2 of Django',
    'password',
    'argon2$argon2id$v=19$m=16,t=2,p=1$UmtRRmdBRU53QlptNk8ycw$UyyArpJ8yasrc93GImQjFQ',
  ],
  [
    'scrypt, passlib',
    'password',
    '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
  ],
  [
    'scrypt, RFC 7914 §12',
    'pleaseletmein',
    `$scrypt$ln=14,r=8,p=1$${base64(Buffer.from('SodiumChloride').toString('hex'))}$${base64('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887')}`,
  ],
  [
    'scrypt of Django',
    LETMEIN,
    'scrypt$16384$seasalt$8$1$Qj3+9PPyRjSJIebHnG81TMjsqtaIGxNQG/aEB/NYafTJ7tibgfYz71m0ldQESkXFRkdVCBhhY8mx7rQwite/Pw==',
  ],
  [
    'scrypt of Werkzeug',
    LETMEIN,
    'scrypt:16384:8:1$seasalt$423dfef4f3f246348921e6c79c6f354cc8ecaad6881b13501bf68407f35869f4c9eed89b81f633ef59b495d4044a45c546475508186163c9b1eeb4308ad7bf3f',
  ],
  [
    'scrypt of Firebase, its README',
    'user1password',
    '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
  ],
  [
    'PBKDF2 with SHA-1, RFC 6070',
    'password',
    `$pbkdf2-sha1$4096$${base64('73616c74')}$${base64('4b007901b765489abead49d926f721d065a429c1')}`,
  ],
  [
    'PBKDF2 with SHA-256, RFC 7914 §11',
    'Password',
    `$pbkdf2-sha256$i=80000,l=64$${base64(Buffer.from('NaCl').toString('hex'))}$${base64('4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d')}`,
  ],
  [
    'PBKDF2 with SHA-512',
    LETMEIN,
    '$pbkdf2-sha512$i=1000,l=64$c2Vhc2FsdA$MvpYzRb9t8IHUO1U7cCcGPfI+JLcFRBOUbkty+vHmXzMoGO3EGn5ZDxFwkkOHVT55Elz3Qczs2+FNpDKUjv/RA',
  ],
  [
    'PBKDF2 of passlib',
    LETMEIN,
    '$pbkdf2-sha256$1000$....IHNhbHR5$UgScF.op0HfMnN7zIC6hMySyoa8HCwAalK2VtxI/KJM',
  ],
  ['PBKDF2 of Django', LETMEIN, 'pbkdf2_sha256$1000$seasalt$JgZryXe2Ga8ysg6XbzkLpTdyPQrHqsinbL9BnnhgX4A='],
  ['PBKDF2 of Django with SHA-1', LETMEIN, 'pbkdf2_sha1$1000$seasalt$ljleU4wBmTtz/MoG5YTwxpM0d7I='],
  [
    'PBKDF2 of Werkzeug',
    LETMEIN,
    'pbkdf2:sha256:1000$seasalt$26066bc977b619af32b20e976f390ba537723d0ac7aac8a76cbf419e78605f80',
  ],
  ['phpass', 'test12345', '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0'],
  ['phpass of phpBB', 'test12345', '$H$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0'],
  ['MD5-crypt', 'Hello world!', '$1$saltstri$YMyguxXMBpd2TEZ.vS/3q1'],
  ['MD5-crypt of Apache', 'Hello world!', '$apr1$saltstri$aGfuB7Lcvs2TUeFTqUVfN0'],
  [
    'SHA-256-crypt, its specification',
    'Hello world!',
    '$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5',
  ],
  [
    'SHA-512-crypt, its specification',
    'Hello world!',
    '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
  ],
  [
    'SHA-512-crypt with rounds',
    'Hello world!',
    '$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.',
  ],
  [
    'SHA-256-crypt of a directory',
    'Hello world!',
    '{CRYPT}$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5',
  ],
  ['SSHA', LETMEIN, '{SSHA}L1slEdkE2YFvyf+qdzYhYlLGXLFzYWx0eQ=='],
  ['SSHA256', LETMEIN, '{SSHA256}M6bP/WYrCs7pcce5wwklKljwXK7xZkU3DbJLNJyzcKtzYWx0eQ=='],
  ['SSHA384', LETMEIN, '{SSHA384}DK0lWFDbXLnU/CXelbEq6WSySMf4lbEAx6fZW9K5QJTVBnRbYPzW81Yz0KuRgvjFc2FsdHk='],
  [
    'SSHA512',
    'password',
    '{ssha512}dOeDLmVpHJThhHeag10Hm2g4T7s3SBE6rGHcXUolXJHVufY4qT782rwZ/0XE6cuLcBZ0KpnwmUzRpAEtZBdv+JYEEtZQs/uC',
  ],
  ['SMD5', LETMEIN, '{SMD5}rvh+LecWRIYN6+BFz83EB3NhbHR5'],
  ['SHA', LETMEIN, '{SHA}bROMo65UVjGzq9caTwds51nFcAs='],
  ['SHA-1 of Django', LETMEIN, 'sha1$seasalt$cff36ea83f5706ce9aa7454e63e431fc726b2dc8'],
  ['MD5 of Django', LETMEIN, 'md5$seasalt$3f86d0d3d465b7b458c231bf3555c0e3'],
];

const BAD_BCRYPT = (cost: string) => `$2b$${cost}$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW`;
const HASH = 'A'.repeat(43);

describe('a hash of another system', () => {
  test.each(VECTORS)('%s', async (_from, password, hash) => {
    const foreign = readForeignHash(hash);
    expect(foreign?.isTooCostly).toBe(false);
    expect(await foreign?.verify(password)).toBe(true);
    for (const other of ['', `x${password}`, `x${password.slice(1)}`, password.toUpperCase(), hash])
      expect(await foreign?.verify(other)).toBe(other === password);
  });

  test.each([
    ['bcrypt', BAD_BCRYPT('16'), BAD_BCRYPT('15')],
    ['bcrypt with fewer rounds than it has', BAD_BCRYPT('03'), BAD_BCRYPT('04')],
    [
      'argon2 memory',
      `$argon2i$v=19$m=262145,t=2,p=1$c2FsdHNhbHQ$${HASH}`,
      `$argon2i$v=19$m=262144,t=2,p=1$c2FsdHNhbHQ$${HASH}`,
    ],
    ['scrypt memory', `$scrypt$ln=19,r=8,p=1$c2FsdA$${HASH}`, `$scrypt$ln=18,r=8,p=1$c2FsdA$${HASH}`],
    ['scrypt lanes', `$scrypt$ln=14,r=8,p=33$c2FsdA$${HASH}`, `$scrypt$ln=14,r=8,p=32$c2FsdA$${HASH}`],
    [
      'scrypt with a cost that is no power of two',
      `scrypt:16385:8:1$salt$${'a'.repeat(64)}`,
      `scrypt:16384:8:1$salt$${'a'.repeat(64)}`,
    ],
    [
      'scrypt with a cost beyond its block',
      `$scrypt$ln=16,r=1,p=1$c2FsdA$${HASH}`,
      `$scrypt$ln=15,r=1,p=1$c2FsdA$${HASH}`,
    ],
    [
      'scrypt without a block',
      `$scrypt$ln=14,r=0,p=1$c2FsdA$${HASH}`,
      `$scrypt$ln=14,r=1,p=1$c2FsdA$${HASH}`,
    ],
    ['a short scrypt hash', '$scrypt$ln=14,r=8,p=1$c2FsdA$AAAA', `$scrypt$ln=14,r=8,p=1$c2FsdA$${HASH}`],
    ['PBKDF2 iterations', `$pbkdf2-sha256$4000001$c2FsdA$${HASH}`, `$pbkdf2-sha256$4000000$c2FsdA$${HASH}`],
    [
      'PBKDF2 iterations of several blocks',
      `$pbkdf2-sha256$2000001$c2FsdA$${HASH}${HASH}`,
      `$pbkdf2-sha256$2000000$c2FsdA$${HASH}${HASH}`,
    ],
    ['no PBKDF2 iteration', `$pbkdf2-sha256$0$c2FsdA$${HASH}`, `$pbkdf2-sha256$1$c2FsdA$${HASH}`],
    ['a short PBKDF2 hash', 'pbkdf2_sha256$1000$salt$AAAA', `pbkdf2_sha256$1000$salt$${HASH}=`],
    ['phpass', '$P$GIQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0', '$P$FIQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0'],
    ['SHA-crypt', `$5$rounds=200001$salt$${HASH}`, `$5$rounds=200000$salt$${HASH}`],
    ['a digest without all its bytes', '{SSHA}AAAAAAAAAAAAAAAA', `{SSHA}${'A'.repeat(28)}`],
  ])('is refused for its parameters: %s', (_what, refused, accepted) => {
    expect(readForeignHash(refused)?.isTooCostly).toBe(true);
    expect(readForeignHash(accepted)?.isTooCostly).toBe(false);
  });

  test.each([
    `$2b$04$${'z'.repeat(53)}`,
    '$argon2i$v=19$m=1,t=1,p=1$AA$AA',
    '$argon2d$v=99$m=16,t=0,p=0$c2FsdHNhbHQ$AAAAAAAA',
    `$scrypt$ln=4,r=16,p=999$$${HASH}`,
    `$pbkdf2-sha1$1$$${HASH}`,
    `$fbscrypt$v=1,n=4,r=8,p=1,ss=,sk=AAAA$AAAA$${HASH}`,
    `{SSHA}${'A'.repeat(28)}`,
    `md5$salt$${'a'.repeat(40)}`,
    `$1$$${'.'.repeat(22)}`,
  ])('that nobody made matches nothing, and throws nothing: %s', async (hash) => {
    for (const password of ['', 'secret', '\0', 'é'.repeat(512)])
      expect(await readForeignHash(hash)?.verify(password)).toBe(false);
  });

  test.each([
    '',
    'secret',
    '$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    ' $2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW\n',
    '$2a$5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    '$pbkdf2-md5$1000$c2FsdA$AAAA',
    '5f4dcc3b5aa765d61d8327deb882cf99',
    `{SSHA}${'A'.repeat(1_100)}`,
  ])('is not any other text: %j', (text) => {
    expect(readForeignHash(text)).toBeUndefined();
  });
});
