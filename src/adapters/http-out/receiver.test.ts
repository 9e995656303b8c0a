/** Which URLs and IP addresses a receiver of webhooks may have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  PRIVATE_ANSWERS,
  PRIVATE_IPV4,
  PRIVATE_IPV6,
  PRIVATE_NAMES,
  MISLEADING_URLS,
} from '#testing/forbidden-receivers.ts';
import { findIpAddressProblem, parseReceiver } from './receiver.ts';

const PUBLIC_ONLY = { allowsLoopback: false, ports: [443] };
const LOOPBACK_TOO = { allowsLoopback: true, ports: [443] };

const findProblem = (url: string, policy = PUBLIC_ONLY): string | null => {
  const receiver = parseReceiver(url, policy);
  return 'problem' in receiver ? receiver.problem : null;
};

test('receiver: an IP address that is not public, in every notation of URLs → rejected', () => {
  for (const address of PRIVATE_IPV4) {
    assert.notEqual(findProblem(`https://${address}/`), null, address);
    assert.notEqual(findProblem(`https://${address}./`), null, `${address}.`);
  }
  for (const address of PRIVATE_IPV6) assert.notEqual(findProblem(`https://[${address}]/`), null, address);
});

test('receiver: an IP address that is not public, as a name server answers it → rejected', () => {
  assert.ok(PRIVATE_ANSWERS.length > 40);
  for (const address of PRIVATE_ANSWERS)
    assert.notEqual(findIpAddressProblem(address, PUBLIC_ONLY), null, address);
  for (const invalid of ['', 'localhost', '1.2.3', 'fe80::1%eth0'])
    assert.notEqual(findIpAddressProblem(invalid, PUBLIC_ONLY), null);
});

test('receiver: a public IP address next to a special network → allowed', () => {
  const addresses =
    '1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.0.0.1 128.0.0.1 169.253.0.1 172.15.0.1 172.32.0.1 192.167.0.1 192.169.0.1 198.17.0.1 198.20.0.1 223.255.255.255 2606:4700::1111 2001:4860:4860::8888 2a00::1';
  for (const address of addresses.split(' ')) {
    assert.equal(findIpAddressProblem(address, PUBLIC_ONLY), null, address);
    const host = address.includes(':') ? `[${address}]` : address;
    assert.equal(findProblem(`https://${host}/hook`), null, address);
  }
});

test('receiver: a name of a private network, or one that no server can have → rejected', () => {
  for (const name of PRIVATE_NAMES) assert.notEqual(findProblem(`https://${name}/`), null, name);
});

test('receiver: a URL with a password, a fragment, hidden characters or another scheme → rejected', () => {
  const urls = [...MISLEADING_URLS, '', `https://hooks.example.org/${'a'.repeat(2_000)}`];
  for (const url of urls) {
    assert.notEqual(findProblem(url), null, url);
    assert.notEqual(findProblem(url, LOOPBACK_TOO), null, url);
  }
});

test('receiver: a port that the policy does not list → rejected, and the listed ones allowed', () => {
  for (const port of [22, 25, 80, 5432, 6379, 8443])
    assert.match(findProblem(`https://hooks.example.org:${port}/`) ?? '', /must use port 443/);
  assert.equal(findProblem('https://hooks.example.org:443/'), null);
  const several = { allowsLoopback: false, ports: [443, 8443] };
  assert.equal(findProblem('https://hooks.example.org:8443/', several), null);
  assert.match(findProblem('https://hooks.example.org:22/', several) ?? '', /one of the ports 443, 8443/);
});

test('receiver: the policy allows loopback → http and every port of this machine, and no other private address', () => {
  for (const url of [
    'http://localhost:3000/hook',
    'http://127.0.0.1:9/',
    'https://[::1]:8443/',
    'http://app.localhost/',
  ])
    assert.equal(findProblem(url, LOOPBACK_TOO), null, url);
  for (const url of [
    'http://10.0.0.1/',
    'https://192.168.0.1/',
    'https://169.254.169.254/',
    'https://hooks.example.org:22/',
  ])
    assert.notEqual(findProblem(url, LOOPBACK_TOO), null, url);
});

test('receiver: an ordinary URL → its host in lower case, and its path', () => {
  const receiver = parseReceiver('https://Hooks.Example.org/in?a=1', PUBLIC_ONLY);
  assert.ok('url' in receiver);
  assert.deepEqual(
    [receiver.host, receiver.ipAddress, receiver.url.href],
    ['hooks.example.org', null, 'https://hooks.example.org/in?a=1'],
  );
});
