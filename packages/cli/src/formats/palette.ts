import type { Severity } from '../findings.ts'

/** Functions that colour text, or return it unchanged. */
export interface Palette {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  yellow(text: string): string
  green(text: string): string
  severity(severity: Severity, text: string): string
}

/** Codes of the terminal for each severity. */
const severityCodes: Record<Severity, string> = {
  critical: '1;31',
  high: '31',
  medium: '33',
  low: '36',
  unknown: '2',
  info: '2',
}

/** Creates the colours of an output. */
export function openPalette(isColoured: boolean): Palette {
  const paint = (code: string, text: string) => (isColoured ? `\x1b[${code}m${text}\x1b[0m` : text)
  return {
    bold: (text) => paint('1', text),
    dim: (text) => paint('2', text),
    red: (text) => paint('31', text),
    yellow: (text) => paint('33', text),
    green: (text) => paint('32', text),
    severity: (severity, text) => paint(severityCodes[severity], text),
  }
}
