/**
 * Runs commands of the command line for a shell, one after another, in one process: each start of Node would take
 * longer than the command. It listens on the socket of its first argument. A request's body is the arguments, each
 * ended by a NUL; its headers have the environment, the file of standard input, and the beginning of the names of the
 * files for the two output streams. The answer is the exit code.
 */
import { createReadStream, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { runCommand } from '#cli/commands.ts';
import { runInTerminal } from '#cli/terminal.ts';

const [, , socket = ''] = process.argv;

async function runRequest(request: IncomingMessage): Promise<number> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const args = (await buffer(request)).toString('utf8').split('\0').slice(0, -1);
  const stdin = createReadStream(String(request.headers['x-stdin']));
  const environment = { ...process.env, ...readVariables(request) };
  const code = await runInTerminal({ stdin, stdout, stderr, environment }, () => runCommand(args));
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  writeFileSync(`${String(request.headers['x-answer'])}.out`, out);
  writeFileSync(`${String(request.headers['x-answer'])}.err`, err);
  return code;
}

/** The variables of the shell that choose the service. */
function readVariables({ headers }: IncomingMessage): Record<string, string> {
  return { ASSAYER_URL: String(headers['x-url'] ?? ''), ASSAYER_TOKEN: String(headers['x-token'] ?? '') };
}

createServer((request, response) => {
  void runRequest(request).then(
    (code) => response.end(String(code)),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      response.end('70');
    },
  );
}).listen(socket, () => process.stdout.write('ready\n'));
