/** Holds an answer of the tool protocol to JSON-RPC and to the schema of the tool. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isFailureCode } from '#core/failures.ts';
import { isRecord } from '#core/records.ts';
import { runAtOnce } from '#core/slices.ts';
import { listDeclaredFailures } from '#transports/declared-failures.ts';
import { createTools } from '#transports/mcp/tools.ts';
import { bindings } from '#transports/operations.ts';
import { QUICKLY_COMPILED } from '#testing/validators.ts';
import { checkErrorForm, checkTold, type CheckParts } from './check-answer.ts';
import type { Answer, Shot } from './shot.ts';

const STATUSES: ReadonlySet<number> = new Set([
  200, 202, 308, 400, 401, 403, 404, 405, 406, 413, 414, 415, 429,
]);

const ajv = new Ajv2020({ strict: false, allErrors: true, ...QUICKLY_COMPILED });
addFormats.default(ajv, ['uuid', 'date-time', 'uri']);
const tools = runAtOnce(createTools(bindings));
/** Compiled when a tool is first answered: all of them at once take seconds. */
const outputs = new Map<string, ValidateFunction | undefined>();

function getOutputValidator(name: string): ValidateFunction | undefined {
  if (!outputs.has(name)) {
    const schema = tools.get(name)?.tool.outputSchema;
    outputs.set(name, schema === undefined ? undefined : ajv.compile(JSON.parse(JSON.stringify(schema))));
  }
  return outputs.get(name);
}

const codes: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...tools].map(([name, { binding }]) => [name, new Set<string>(listDeclaredFailures(binding))]),
);

/** Answers what the tool answered; undefined where it was none or failed. */
export function checkTool(parts: CheckParts, tool: string | undefined, shot: Shot, answer: Answer): unknown {
  const { findings } = parts;
  const where = tool ?? 'mcp';
  const { status, text } = answer;
  const add = (what: string): void => findings.add('tools', where, what, shot, answer);
  if (status < 500 && !STATUSES.has(status)) add(`${status} is no status of the protocol`);
  if (status === 202 || status === 308 || shot.method === 'HEAD') return undefined;
  const message = getMessage(answer);
  if (!isRecord(message)) {
    add(`${status} is no JSON record: ${text.slice(0, 80)}`);
    return undefined;
  }
  if (message.jsonrpc !== '2.0') {
    checkErrorForm(parts, where, shot, answer);
    return undefined;
  }
  if (isRecord(message.error)) {
    const { code, message: sentence } = message.error;
    if (!Number.isInteger(code) || typeof sentence !== 'string') add(`${status} is no error of JSON-RPC`);
    else checkTold(findings, where, shot, answer, sentence);
    return undefined;
  }
  if (!isRecord(message.result)) {
    add(`${status} has neither result nor error`);
    return undefined;
  }
  return tool === undefined ? undefined : checkResult(parts, tool, message.result, shot, answer);
}

function checkResult(
  parts: CheckParts,
  tool: string,
  result: Readonly<Record<string, unknown>>,
  shot: Shot,
  answer: Answer,
): unknown {
  const add = (what: string): void => parts.findings.add('tools', tool, what, shot, answer);
  const [block]: unknown[] = Array.isArray(result.content) ? result.content : [];
  if (!isRecord(block)) {
    add('has no content');
    return undefined;
  }
  if (result.isError === true) {
    checkFailure(parts, tool, typeof block.text === 'string' ? block.text : '', shot, answer);
    return undefined;
  }
  const validate = getOutputValidator(tool);
  if (validate !== undefined && !validate(result.structuredContent))
    add(`differs from its output schema: ${ajv.errorsText(validate.errors)}`);
  return result.structuredContent;
}

function checkFailure(parts: CheckParts, tool: string, text: string, shot: Shot, answer: Answer): void {
  const add = (what: string): void => parts.findings.add('tools', tool, what, shot, answer);
  const body = parseOrUndefined(text);
  if (!isRecord(body)) return add(`a failure is no JSON: ${text.slice(0, 80)}`);
  const { error, request_id: requestId, code } = body;
  if (typeof error !== 'string' || requestId !== answer.headers['x-request-id'])
    add('a failure without its sentence or its id');
  else checkTold(parts.findings, tool, shot, answer, error);
  if (typeof code !== 'string' || !isFailureCode(code) || codes.get(tool)?.has(code) !== true)
    add(`a failure with the code ${String(code)}, which is not declared`);
  if (typeof code === 'string' && /^(?:internal_error|overloaded|disk_full|database_unavailable)$/.test(code))
    parts.findings.add('no 5xx', `tool ${tool}`, code, shot, answer);
}

/** The one message of an answer, also where it comes as a stream of events. */
function getMessage({ json, text, headers }: Answer): unknown {
  if (headers['content-type']?.startsWith('text/event-stream') !== true) return json;
  const data = text.split('\n').filter((line) => line.startsWith('data:'));
  return parseOrUndefined(data.map((line) => line.slice(5)).join(''));
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
