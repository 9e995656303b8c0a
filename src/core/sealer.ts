/**
 * How secrets are stored in the database. Those that are used again are encrypted: AES-256-GCM (NIST SP 800-38D) under a
 * key of this environment. Those that are only recognized are kept as a digest.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface Sealer {
  /** Returns base64 of nonce, tag and ciphertext, which differs each time. */
  seal(text: string): string;
  /** Throws when the sealed text was changed or was sealed under another key. */
  open(sealed: string): string;
}

export function createSealer(key: Uint8Array): Sealer {
  return {
    seal(text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const opened = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
      return Buffer.concat([opened, decipher.final()]).toString('utf8');
    },
  };
}

/** SHA-256: enough for a secret of 128 random bits, which nobody can guess. */
export function computeSecretDigest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
