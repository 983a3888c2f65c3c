import { Fragment } from 'react'
import { texts } from './texts.ts'

/** Names of licenses, with links to their pages. */
export function Licenses({ of: licenses }: { of: readonly { name: string; url: string | null }[] }) {
  if (licenses.length === 0) return <span className="muted">{texts.unknown}</span>
  return licenses.map(({ name, url }, index) => (
    <Fragment key={name}>
      {index > 0 && ', '}
      {url === null ? (
        name
      ) : (
        <a href={url} rel="noreferrer" target="_blank">
          {name}
        </a>
      )}
    </Fragment>
  ))
}
