import { type Command, InvalidArgumentError } from 'commander'

/** Adds the options that every command with a server has. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option('--url <url>', 'address of the server (default: ALCOVE_URL, or that of alcove login)')
    .option('--retry <seconds>', 'how long to repeat requests that fail (default: 60)', parseSeconds)
    .option('--timeout <seconds>', 'maximum duration of one request (default: 300)', parseSeconds)
}

/** Parses a number of seconds. */
export function parseSeconds(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a number of seconds.')
}

/** Parses an integer of at least 1. */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a number of at least 1.')
}

/** Collects the values of an option that may be repeated or have several values separated by commas. */
export function collect(text: string, previous: readonly string[] = []): string[] {
  return [...previous, ...text.split(',').map((word) => word.trim())].filter((word) => word !== '')
}

/** Collects the values of an option that may be repeated and whose values may contain commas. */
export function collectWhole(text: string, previous: readonly string[] = []): string[] {
  return [...previous, text]
}

/** Returns a parser that accepts only these words. */
export function choice<Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const word = words.find((known) => known === text)
    if (word) return word
    throw new InvalidArgumentError(`Use one of: ${words.join(', ')}.`)
  }
}
