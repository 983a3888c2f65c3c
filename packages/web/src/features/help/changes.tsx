import { useState } from 'react'
import changelog from '../../../../../CHANGELOG.md?raw'
import { Markdown } from '../../components/markdown.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import styles from './changes.module.css'
import { texts } from './texts.ts'

/** Versions of the changelog with their sections, newest first. */
const versions = changelog
  .split(/^## /m)
  .slice(1)
  .map((version) => {
    const [heading = '', ...sections] = version.split(/^### /m)
    const [name = '', ...lead] = heading.split('\n')
    return { name, lead: lead.join('\n'), sections: sections.map(readSection) }
  })

function readSection(section: string) {
  const end = section.indexOf('\n')
  return { title: section.slice(0, end), parts: partsOf(section.slice(end).trim()) }
}

/** The server renders texts of this length without a sign-in. */
const maxLength = 4000

/** Splits a list into lists that the server renders one by one. */
function partsOf(list: string): string[] {
  const parts: string[] = []
  for (const entry of list.split(/\n(?=- )/)) {
    const last = parts.at(-1)
    if (last !== undefined && last.length + entry.length < maxLength) parts[parts.length - 1] = `${last}\n${entry}`
    else parts.push(entry)
  }
  return parts
}

/** The changelog of this version, by area. */
export function Changes() {
  return (
    <Page title={texts.whatsNew} lead={texts.changesByArea}>
      {versions.map(({ name, lead, sections }) => (
        <Panel key={name} title={name}>
          <Markdown text={lead} />
          {sections.map((section) => (
            <Section key={section.title} {...section} />
          ))}
        </Panel>
      ))}
    </Page>
  )
}

/** Renders its text when it is first opened. */
function Section({ title, parts }: { title: string; parts: readonly string[] }) {
  const [isOpened, setOpened] = useState(false)
  return (
    <details onToggle={() => setOpened(true)}>
      <summary className={styles.title}>{title}</summary>
      {isOpened && parts.map((part) => <Markdown key={part} text={part} />)}
    </details>
  )
}
