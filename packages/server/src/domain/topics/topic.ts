import { type InvalidAttributes, invalid } from '../../platform/failure.ts'
import type { AvatarFile } from '../files/avatar-file.ts'
import type { Optional } from '../optional.ts'

export interface Topic {
  id: number
  organizationId: number
  /** GitLab calls it a slug, but it is any ASCII text. */
  name: string
  title: string
  description: string | null
  avatar: AvatarFile | null
  /** Number of projects with the topic, including private ones. */
  totalProjectsCount: number
  createdAt: string
  updatedAt: string
}

/** Editable attributes of a topic. */
export interface TopicDraft {
  name: string
  title: string
  description: string | null
}

/** Throws all validation errors of a draft, in GitLab's words. */
export function assertTopicDraft(draft: Partial<TopicDraft>, options: { blankTitle: 'refused' | 'allowed' }): void {
  const isAllowed = options.blankTitle === 'allowed' && draft.title?.trim() === ''
  const problems = draftProblems(isAllowed ? { ...draft, title: undefined } : draft)
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/** Returns the validation errors of the given attributes. */
export function draftProblems({ name, title, description }: Optional<TopicDraft>): InvalidAttributes {
  const problems: Record<string, string[]> = {
    name: name === undefined ? [] : nameProblems(name),
    title: title === undefined ? [] : [...blankProblem(title), ...lengthProblem(title, 255)],
    description: description == null ? [] : lengthProblem(description, 1024),
  }
  return Object.fromEntries(Object.entries(problems).filter(([, texts]) => texts.length > 0))
}

export function nameProblems(name: string): string[] {
  const blank = blankProblem(name)
  if (blank.length > 0) return blank
  return [
    ...lengthProblem(name, 255),
    ...(/[\r\n]/.test(name) ? ['has characters that are not allowed'] : []),
    ...(isAscii(name) ? [] : ['must only include ASCII characters']),
  ]
}

export const nameTaken = () => invalid({ name: ['has already been taken'] })

const blank = "can't be blank"

function blankProblem(text: string): string[] {
  return text.trim() === '' ? [blank] : []
}

function lengthProblem(text: string, max: number): string[] {
  return characters(text) > max ? [`is too long (maximum is ${max} characters)`] : []
}

/** Counts Unicode characters instead of UTF-16 units: an emoji counts once. */
function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false
  return true
}
