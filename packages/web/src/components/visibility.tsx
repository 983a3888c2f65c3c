import { Globe, Lock, Shield } from 'lucide-react'
import { texts } from './texts.ts'

export const visibilities = ['private', 'internal', 'public'] as const
export type Visibility = (typeof visibilities)[number]

const looks = {
  public: { picture: Globe, label: texts.public, meaning: texts.visibleToEveryoneIncluding },
  internal: {
    picture: Shield,
    label: texts.internal,
    meaning: texts.visibleToSignedInUsers,
  },
  private: { picture: Lock, label: texts.private, meaning: texts.visibleToMembersOnly },
}

/** Parses a visibility; unknown values become `private`, the narrowest. */
export function visibilityOf(name: string | undefined): Visibility {
  return visibilities.find((known) => known === name) ?? 'private'
}

export function VisibilityMark({ visibility }: { visibility: string }) {
  const { picture: Picture, label } = looks[visibilityOf(visibility)]
  return (
    <span className="muted" title={label}>
      <Picture size={15} aria-hidden="true" />
      <span className="visually-hidden">{label}</span>
    </span>
  )
}

export function visibilityLook(visibility: Visibility) {
  return looks[visibility]
}
