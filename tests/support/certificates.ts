/** Certificates for receivers of a test, made by an authority of its own: X.509 v3, RFC 5280, with P-256 keys. */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

export interface Certified {
  readonly certificate: string;
  readonly key: string;
}

export interface TestAuthority {
  /** In PEM, to be trusted. */
  readonly certificate: string;
  /** A certificate for a name; expired where `isExpired`. */
  readonly certify: (name: string, options?: { readonly isExpired?: boolean }) => Certified;
}

const YEAR_MS = 365 * 86_400_000;
const ECDSA_SHA256 = '1.2.840.10045.4.3.2';
const COMMON_NAME = '2.5.4.3';
const BASIC_CONSTRAINTS = '2.5.29.19';
const ALTERNATIVE_NAME = '2.5.29.17';

const TAGS = { boolean: 0x01, integer: 0x02, bits: 0x03, octets: 0x04, oid: 0x06, text: 0x0c } as const;
const [TIME, SEQUENCE, SET, DNS_NAME] = [0x18, 0x30, 0x31, 0x82];
const [VERSION, EXTENSIONS] = [0xa0, 0xa3];

function encode(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size =
    content.length < 128
      ? [content.length]
      : content.length < 256
        ? [0x81, content.length]
        : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function encodeOid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = rest.flatMap((value) => {
    const groups = [value & 0x7f];
    for (let left = value >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return encode(TAGS.oid, Buffer.from([first * 40 + second, ...bytes]));
}

const encodeName = (name: string): Buffer =>
  encode(
    SEQUENCE,
    encode(SET, encode(SEQUENCE, encodeOid(COMMON_NAME), encode(TAGS.text, Buffer.from(name)))),
  );

const encodeTime = (ms: number): Buffer =>
  encode(TIME, Buffer.from(new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, '')));

const encodeExtension = (oid: string, value: Buffer): Buffer =>
  encode(SEQUENCE, encodeOid(oid), encode(TAGS.octets, encode(SEQUENCE, value)));

interface Request {
  readonly serial: number;
  readonly issuer: string;
  readonly name: string;
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly untilMs: number;
  readonly isAuthority: boolean;
}

function writeCertificate(request: Request): string {
  const algorithm = encode(SEQUENCE, encodeOid(ECDSA_SHA256));
  const extension = request.isAuthority
    ? encodeExtension(BASIC_CONSTRAINTS, encode(TAGS.boolean, Buffer.from([0xff])))
    : encodeExtension(ALTERNATIVE_NAME, encode(DNS_NAME, Buffer.from(request.name)));
  const content = encode(
    SEQUENCE,
    encode(VERSION, encode(TAGS.integer, Buffer.from([2]))),
    encode(TAGS.integer, Buffer.from([request.serial])),
    algorithm,
    encodeName(request.issuer),
    encode(SEQUENCE, encodeTime(request.untilMs - YEAR_MS), encodeTime(request.untilMs)),
    encodeName(request.name),
    request.publicKey.export({ type: 'spki', format: 'der' }),
    encode(EXTENSIONS, encode(SEQUENCE, extension)),
  );
  const signature = sign('sha256', content, request.signingKey);
  const der = encode(SEQUENCE, content, algorithm, encode(TAGS.bits, Buffer.from([0]), signature));
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
}

/** Makes an authority whose certificates are valid around `nowMs`, the time of the machine. */
export function createTestAuthority(nowMs: number, issuer = 'Authority of a test'): TestAuthority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const untilMs = nowMs + YEAR_MS / 2;
  let serial = 1;
  const certificate = writeCertificate({
    serial,
    issuer,
    name: issuer,
    publicKey: own.publicKey,
    signingKey: own.privateKey,
    untilMs,
    isAuthority: true,
  });
  return {
    certificate,
    certify(name, { isExpired = false } = {}) {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      return {
        key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        certificate: writeCertificate({
          serial: (serial += 1),
          issuer,
          name,
          publicKey: pair.publicKey,
          signingKey: own.privateKey,
          untilMs: isExpired ? nowMs - 86_400_000 : untilMs,
          isAuthority: false,
        }),
      };
    },
  };
}
