/**
 * Runs commands of the command line for a shell, one after another, in one process: each start of Node would take
 * longer than the command. It listens on the socket of its first argument. A request's body is the arguments, each
 * ended by a NUL; its headers have the environment as JSON and the file of standard input.
 */
import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { runCommand } from '#cli/commands.ts';
import { runInTerminal } from '#cli/terminal.ts';

const [, , socket = ''] = process.argv;

interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function runRequest(request: IncomingMessage): Promise<Answer> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const args = (await buffer(request)).toString('utf8').split('\0').slice(0, -1);
  const stdin = createReadStream(String(request.headers['x-stdin']));
  const environment = { ...process.env, ...readVariables(request) };
  const code = await runInTerminal({ stdin, stdout, stderr, environment }, () => runCommand(args));
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code, out, err };
}

/** The variables of the shell that choose the service. */
function readVariables({ headers }: IncomingMessage): Record<string, string> {
  return { ASSAYER_URL: String(headers['x-url'] ?? ''), ASSAYER_TOKEN: String(headers['x-token'] ?? '') };
}

createServer((request, response) => {
  void runRequest(request).then(
    (answer) => response.end(JSON.stringify(answer)),
    (error: unknown) => response.end(JSON.stringify({ code: 70, out: '', err: String(error) })),
  );
}).listen(socket, () => process.stdout.write('ready\n'));
