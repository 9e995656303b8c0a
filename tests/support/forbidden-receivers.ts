/** IP addresses, names and URLs to which a public service never sends a webhook. */

export const PRIVATE_IPV4: readonly string[] =
  '127.0.0.1 127.1 0 0.0.0.0 2130706433 0x7f000001 0177.0.0.1 0x7f.0.0.01 ①②⑦.0.0.1 127。0。0。1 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 100.64.0.1 100.127.255.255 169.254.169.254 100.100.100.200 168.63.129.16 192.0.0.1 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255'.split(
    ' ',
  );
export const PRIVATE_IPV6: readonly string[] =
  ':: ::1 ::ffff:127.0.0.1 ::ffff:a9fe:a9fe ::ffff:93.184.215.14 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 2002:7f00:1:: 2001::1 2001:20::1 2001:db8::1 3fff::1 fe80::1 fec0::1 fc00::1 fd12::1 ff02::1 5f00::1 100::1 4000::1'.split(
    ' ',
  );

/** The private addresses in the notation of a name server. */
export const PRIVATE_ANSWERS: readonly string[] = [
  ...PRIVATE_IPV4.filter((address) => /^\d+\.\d+\.\d+\.\d+$/.test(address) && !address.startsWith('01')),
  ...PRIVATE_IPV6,
];

export const PRIVATE_NAMES: readonly string[] = [
  'localhost',
  'localhost.',
  'app.localhost',
  'metadata.google.internal',
  'printer.local',
  'nas.home.arpa',
  'postgres',
  `${'a'.repeat(64)}.example.org`,
  `${'a'.repeat(60)}.`.repeat(5) + 'org',
  'a..example.org',
];

export const MISLEADING_URLS: readonly string[] = [
  'https://user@hooks.example.org/',
  'https://user:word@hooks.example.org/',
  'https://hooks.example.org/#@127.0.0.1',
  'https://hooks.example.org\\@127.0.0.1/',
  'https://hooks.example.org/a b',
  'https://hooks.exa\tmple.org/',
  'https://hooks.example.org/\n',
  'https://hooks.example.org/\u202e',
  'https:hooks.example.org',
  'https:///hooks.example.org',
  'http:127.0.0.1',
  'http://hooks.example.org/',
  'HTTP://hooks.example.org/',
  'file:///etc/passwd',
  'gopher://hooks.example.org/',
  'data:text/plain,x',
  'ws://hooks.example.org/',
  'hooks.example.org',
];
