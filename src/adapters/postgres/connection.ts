/** How to reach a database, in the two forms that this service supports. */

/** A database behind a private socket directory (the embedded server) or a host name. */
export interface ServerConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** A database named by a URL, as operators give it in `DATABASE_URL`. */
export interface UrlConnection {
  readonly connectionString: string;
}

export type DatabaseConnection = ServerConnection | UrlConnection;

/** Formats the URL of a socket connection for PostgreSQL's command-line tools. */
export function formatConnectionUrl(connection: ServerConnection): string {
  const host = encodeURIComponent(connection.host);
  return `postgresql://${connection.user}@/${connection.database}?host=${host}&port=${connection.port}`;
}

/** Another database on the same server. */
export function withDatabase(connection: ServerConnection, database: string): ServerConnection {
  return { ...connection, database };
}
