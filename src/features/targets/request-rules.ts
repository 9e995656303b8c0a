/** Rules for requests of targets, beyond their form. */
import { findLineProblem } from '#core/one-line.ts';
import type { Problem } from '#core/failures.ts';
import { checkSequence, type SequenceLimits } from '../sequences/rules.ts';
import type { CreateCustomTargetRequest } from './request-contract.ts';

/** Four characters that start with a digit, or the extended form of the Protein Data Bank. */
const PDB_ID = /^(?:[0-9][A-Z0-9]{3}|PDB_[0-9]{4}[A-Z0-9]{4})$/i;
/** The first words of lines in a PDB file, and the first block of an mmCIF file. */
const STRUCTURE = /^(?:data_\S|(?:HEADER|TITLE|REMARK|CRYST1|MODEL|ATOM|HETATM)\b)/m;
/** Base64 in one line or in several. */
const BASE64 = /^[A-Za-z0-9+/\r\n]+={0,2}\s*$/;

export const REQUESTED_ALREADY =
  'was requested by your organization before; list_custom_target_requests shows that request and its answer';

interface CheckedTargetRequest {
  /** With sequence and PDB id in their stored form. */
  readonly request: CreateCustomTargetRequest;
  readonly problems: readonly Problem[];
}

export function checkTargetRequest(
  request: CreateCustomTargetRequest,
  limits: SequenceLimits,
): CheckedTargetRequest {
  const { pdb_id: pdbId, product_url: url } = request;
  const pdbFile = isGiven(request.pdb_file) ? decodeStructure(request.pdb_file) : null;
  const problems: Problem[] = [
    ...findLineProblems('name', request.name),
    ...findLineProblems('product_id', request.product_id),
    ...(isGiven(request.vendor) ? findLineProblems('vendor', request.vendor) : []),
  ];
  const add = (path: string, message: string): void => void problems.push({ path, message });
  if (!isGiven(request.sequence) && !isGiven(pdbId) && pdbFile === null)
    add('sequence', 'is required, unless pdb_id or pdb_file is given');
  if (isGiven(pdbId) && !PDB_ID.test(pdbId)) add('pdb_id', 'must be a PDB id such as 1IVO or pdb_00001ivo');
  if (pdbFile !== null && !STRUCTURE.test(pdbFile))
    add('pdb_file', 'is neither a PDB nor an mmCIF file, as text or in base64');
  if (isGiven(url) && !isWebAddress(url)) add('product_url', 'must be an http or https address');
  const checked = isGiven(request.sequence) ? validateSequence(request.sequence, limits) : null;
  problems.push(...(checked?.problems ?? []));
  return {
    request: {
      ...request,
      ...(isGiven(pdbId) ? { pdb_id: pdbId.toUpperCase() } : {}),
      ...(pdbFile === null ? {} : { pdb_file: pdbFile }),
      ...(checked === null ? {} : { sequence: checked.aaString }),
    },
    problems,
  };
}

/**
 * Some clients send the file in base64. A structure file as text has spaces within its lines, which base64 never has.
 * Bytes that are no text stay as they came, so that the rules refuse them.
 */
function decodeStructure(file: string): string {
  if (STRUCTURE.test(file) || !BASE64.test(file)) return file;
  const decoded = Buffer.from(file, 'base64').toString('utf8');
  return decoded.includes('\0') || decoded.includes('\uFFFD') ? file : decoded;
}

function isGiven(text: string | null | undefined): text is string {
  return text !== null && text !== undefined;
}

export function findLineProblems(path: string, text: string): Problem[] {
  if (text.trim() === '') return [{ path, message: 'must not be blank' }];
  const message = findLineProblem(text);
  return message === undefined ? [] : [{ path, message }];
}

function validateSequence(sequence: string, limits: SequenceLimits) {
  const { sequence: accepted, problems } = checkSequence('the target', sequence, 'sequence', limits);
  return {
    aaString: accepted?.aaString ?? sequence,
    problems: problems.map(({ path, message }) => ({ path, message })),
  };
}

function isWebAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:';
}

/** Returns the chains of a protein, joined by ":", of FASTA or of bare letters; each record of FASTA is a chain. */
export function readChains(text: string): string {
  const chains = text.split(/^>.*$/m).map((chain) => chain.replaceAll(/\s/g, ''));
  return chains.filter((chain) => chain !== '').join(':');
}
