/**
 * Requests that a server of this process never answers: the time limit of the client passes at once. So limits can be
 * longer than any stall of a busy machine, and a silence costs no waiting.
 */
import { subscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';

/** The sockets of clients of this process, by their port. */
const clients = new Map<number, Socket>();

subscribe('net.client.socket', (message) => {
  const socket = typeof message === 'object' && message !== null && 'socket' in message && message.socket;
  if (!(socket instanceof Socket)) return;
  socket.once('connect', () => {
    const { localPort } = socket;
    if (localPort === undefined) return;
    clients.set(localPort, socket);
    socket.once('close', () => clients.delete(localPort));
  });
});

/** `served` is the server's end of the connection. A client of another process waits until its own limit has passed. */
export function expireRequest(served: Socket): void {
  const client = clients.get(served.remotePort ?? 0);
  if (client === undefined) return;
  // `node:http` waits for this event of its socket; what waits with a timer of its own sees its connection fail.
  if (!client.emit('timeout')) client.destroy(new Error('the request took too long'));
}
