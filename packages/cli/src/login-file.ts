import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { wrongUsage } from './exit.ts'
import type { Environment, Io } from './io.ts'

/** The server and token that `alcove login` has stored. */
export interface Login {
  url: string
  token: string
}

/** Returns the path of the login file. */
function loginFile(env: Environment): string {
  const folder = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config')
  return join(folder, 'alcove', 'login.json')
}

/** Returns the stored login, or `undefined`. Throws when other users can read the file. */
export async function readLogin({ env }: Io): Promise<Login | undefined> {
  const file = loginFile(env)
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const { mode } = await stat(file)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw wrongUsage(`Other users can read the token in ${file}. Run: chmod 600 ${file}`)
  }
  const login = parse(text)
  if (!login) throw wrongUsage(`${file} is damaged. Sign in again with: alcove login`)
  return login
}

/** Stores a login, readable by its owner only. */
export async function writeLogin({ env }: Io, login: Login): Promise<string> {
  const file = loginFile(env)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 })
  await chmod(draft, 0o600)
  await rename(draft, file)
  return file
}

/** Removes the stored login. Returns false when there is none. */
export async function removeLogin(io: Io): Promise<boolean> {
  const hasLogin = (await readLogin(io).catch(() => true)) !== undefined
  await rm(loginFile(io.env), { force: true })
  return hasLogin
}

function parse(text: string): Login | undefined {
  try {
    const { url, token } = JSON.parse(text) as Partial<Login> // checked below
    return typeof url === 'string' && typeof token === 'string' ? { url, token } : undefined
  } catch {
    return undefined
  }
}
