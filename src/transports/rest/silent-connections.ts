/** Connections that have not sent a byte, such as a browser opens in advance. */
import type { Server, Socket } from 'node:net';

/**
 * Watches the connections of a server. The returned function closes the silent ones: Node counts them as busy, so that
 * the end of the service would wait until the time for their headers is over.
 */
export function watchSilentConnections(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
}
