import type { ReadStream } from 'node:tty'
import { wrongUsage } from './exit.ts'

const enter = new Set(['\r', '\n', '\u0004'])
const erase = new Set(['\u007f', '\b'])

/** Reads a line from a terminal without showing it. Ctrl-C ends the command. */
export function readSecret(terminal: ReadStream): Promise<string> {
  terminal.setRawMode(true)
  terminal.setEncoding('utf8').resume()
  return new Promise<string>((resolve, reject) => {
    let line = ''
    const read = (text: string) => {
      for (const character of text) {
        if (character === '\u0003') return end(() => reject(wrongUsage('Cancelled.')))
        if (enter.has(character)) return end(() => resolve(line))
        line = erase.has(character) ? line.slice(0, -1) : line + character
      }
    }
    const end = (settle: () => void) => {
      terminal.off('data', read).setRawMode(false).pause()
      settle()
    }
    terminal.on('data', read)
  })
}
