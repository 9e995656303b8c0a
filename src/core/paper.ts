export type PaperSize = 'a4' | 'letter';
