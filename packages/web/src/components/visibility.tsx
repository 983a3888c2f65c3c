import { Globe, Lock, Shield } from 'lucide-react'

export const visibilities = ['private', 'internal', 'public'] as const
export type Visibility = (typeof visibilities)[number]

const looks = {
  public: { picture: Globe, label: 'Public', meaning: 'Everybody may read it, also signed out.' },
  internal: {
    picture: Shield,
    label: 'Internal',
    meaning: 'Everybody who is signed in may read it, guests from outside not.',
  },
  private: { picture: Lock, label: 'Private', meaning: 'Only its members may read it.' },
}

/** What the server does not name is shown as the narrowest. */
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
