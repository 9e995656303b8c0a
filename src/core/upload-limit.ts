/** The largest zip of instrument files. The parsers limit its unpacked size. */
export const UPLOAD_BYTES_MAX = 160 * 1024 * 1024;
