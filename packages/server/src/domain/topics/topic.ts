import { type InvalidAttributes, invalid } from '../../platform/failure.ts'

export interface Topic {
  id: number
  organizationId: number
  /** Called a slug, but free ASCII text. */
  name: string
  title: string
  description: string | null
  avatar: TopicAvatar | null
  /** Every project that carries the topic, private ones too. */
  totalProjectsCount: number
  createdAt: string
  updatedAt: string
}

export interface TopicAvatar {
  objectKey: string
  filename: string
  contentType: string
  bytes: number
}

/** The parts of a topic that people write. */
export interface TopicDraft {
  name: string
  title: string
  description: string | null
}

/** All that is wrong with a draft, as GitLab words it; throws when anything is. */
export function assertTopicDraft(draft: Partial<TopicDraft>, options: { blankTitle: 'refused' | 'allowed' }): void {
  const problems: Record<string, string[]> = {}
  if (draft.name !== undefined) problems['name'] = nameProblems(draft.name)
  if (draft.title !== undefined) {
    problems['title'] = [
      ...(options.blankTitle === 'refused' ? blankProblem(draft.title) : []),
      ...lengthProblem(draft.title, 255),
    ]
  }
  if (draft.description != null) problems['description'] = lengthProblem(draft.description, 1024)
  const wrong: InvalidAttributes = Object.fromEntries(Object.entries(problems).filter(([, texts]) => texts.length > 0))
  if (Object.keys(wrong).length > 0) throw invalid(wrong)
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

function blankProblem(text: string): string[] {
  return text.trim() === '' ? ["can't be blank"] : []
}

function lengthProblem(text: string, most: number): string[] {
  return characters(text) > most ? [`is too long (maximum is ${most} characters)`] : []
}

/** Characters, not UTF-16 units: an emoji counts once. */
function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false
  return true
}
