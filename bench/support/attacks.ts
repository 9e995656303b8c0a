/** The worst bodies that the service can be sent, as whole requests. */
import { createDesigns, removeRemarkable } from './designs.ts';

export interface Tokens {
  readonly viewer: string;
  readonly members: readonly string[];
}

export interface Attack {
  readonly name: string;
  /** Sent over several connections in turn. */
  readonly requests: readonly Buffer[];
}

const BYTES = 14_000_000;
const SEQUENCES = 5_000;
const LONGEST = 3_200;
const CREATE = '/api/v1/experiments';
const VALIDATE = '/api/v1/experiments/validate';

export function createAttacks({ viewer, members }: Tokens): Attack[] {
  const names = `{${Array.from({ length: 900_000 }, (_, index) => `"k${index}":1`).join(',')}}`;
  const largest = writeCreation(createLibrary(LONGEST));
  const described = writeCreation(createLibrary(1_500, METADATA));
  const wrong = writeCreation(createLibrary(LONGEST)).replaceAll('W', 'X');
  const unknown = `{${Array.from({ length: 14_000 }, (_, index) => `"unknown-field-number-${index}":1`).join(',')}}`;
  const call = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'validate_exp', arguments: JSON.parse(largest) },
  });
  const each = (path: string, body: string): Buffer[] =>
    members.map((token) => createRequest(path, token, body));
  return [
    { name: 'no token: 14 MB of names', requests: [createRequest(CREATE, 'none', names)] },
    { name: 'viewer: 900,000 names to create', requests: [createRequest(CREATE, viewer, names)] },
    { name: 'viewer: 900,000 names to validate', requests: [createRequest(VALIDATE, viewer, names)] },
    { name: 'viewer: 14 MB of nesting', requests: [createRequest(VALIDATE, viewer, '['.repeat(BYTES))] },
    {
      name: 'viewer: 14 MB of digits',
      requests: [createRequest(VALIDATE, viewer, `[${'1'.repeat(BYTES)}]`)],
    },
    {
      name: 'viewer: 14 MB of one text',
      requests: [createRequest(VALIDATE, viewer, `"${'x'.repeat(BYTES)}"`)],
    },
    {
      name: 'viewer: 14 MB of escapes',
      requests: [createRequest(VALIDATE, viewer, `"${'\\u0041'.repeat(BYTES / 6)}"`)],
    },
    { name: 'members: 14,000 wrong entries', requests: each(VALIDATE, writeCreation(JSON.parse(unknown))) },
    { name: 'members: 5,000 wrong sequences', requests: each(VALIDATE, wrong) },
    { name: 'members: the largest library, validated', requests: each(VALIDATE, largest) },
    { name: 'members: the largest library, created', requests: each(CREATE, largest) },
    { name: 'members: the most described library, created', requests: each(CREATE, described) },
    { name: 'members: the largest library as a tool call', requests: each('/mcp/', call) },
  ];
}

const METADATA = {
  type: 'ScFv',
  VH: 'Q'.repeat(120),
  VL: 'D'.repeat(110),
  linker: 'GGGGSGGGGSGGGGS',
  tag_location: 'N',
  chain_order: ['VH', 'VL'],
  framework_regions: { ch: 'A', cl: 'A' },
};

function createLibrary(length: number, metadata?: object): Readonly<Record<string, unknown>> {
  const drawn = Object.entries(createDesigns(SEQUENCES, length, 7));
  return Object.fromEntries(
    drawn.map(([name, text]) => {
      const residues = removeRemarkable(text);
      return [name, metadata === undefined ? residues : { aa_string: residues, control: false, metadata }];
    }),
  );
}

function writeCreation(sequences: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({
    name: 'A library',
    experiment_spec: { experiment_type: 'thermostability', sequences },
  });
}

function createRequest(path: string, token: string, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    'connection: close',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  // A write that may be repeated is one that also has to be known again.
  return Buffer.from([...head, '', body].join('\r\n'));
}
