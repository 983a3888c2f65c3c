import { weakPasswords } from './weak-passwords.ts'

/** Names of the password's owner, which attackers try first. */
export interface PasswordOwner {
  username?: string | undefined
  email?: string | undefined
  name?: string | undefined
}

const minLength = 8
const maxLength = 128
const minDifferent = 5
const minContextWord = 4
/** Minimum number of characters that must remain once those names are removed. */
const minRest = 6
const productWords = ['alcove', 'gitlab']

/** Returns every rule that a new password violates, in GitLab's words. Existing passwords are not checked. */
export function passwordProblems(password: string, owner: PasswordOwner = {}): string[] {
  const { length } = [...password]
  if (length === 0) return ["can't be blank"]
  if (length < minLength) return [`is too short (minimum is ${minLength} characters)`]
  if (length > maxLength) return [`is too long (maximum is ${maxLength} characters)`]
  return isCommon(password) || isAboutOwner(password, owner)
    ? ['must not contain commonly used combinations of words and letters']
    : []
}

function isCommon(password: string): boolean {
  const lower = password.toLowerCase()
  if (new Set(lower).size < minDifferent) return true
  return [
    lower,
    replaceLookAlikes(lower),
    wordOf(lower),
    replaceLookAlikes(wordOf(lower)),
    wordOf(replaceLookAlikes(lower)),
  ].some((candidate) => weakPasswords.has(candidate))
}

/** Returns true when the password is little more than the user's name, mail domain or the name of this program. */
function isAboutOwner(password: string, { username = '', email = '', name = '' }: PasswordOwner): boolean {
  const words = [username, email, name, ...productWords]
    .flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)])
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= minContextWord)
    .sort((one, other) => other.length - one.length)
  const lower = password.toLowerCase()
  return [lower, replaceLookAlikes(lower)].some((text) => {
    const rest = words.reduce((left, word) => left.replaceAll(word, ''), text)
    return rest !== text && rest.length < minRest
  })
}

/** Strips leading and trailing digits and symbols from a word. */
function wordOf(text: string): string {
  return text.replace(/^[^\p{L}]{1,8}/u, '').replace(/[^\p{L}]{1,8}$/u, '')
}

const lookalikes: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** Replaces digits and symbols with the letters that they resemble. */
function replaceLookAlikes(text: string): string {
  return text.replace(/[013457@$!]/g, (sign) => lookalikes[sign] ?? sign)
}
