import { Panel } from '../../components/page/page.tsx'
import { texts } from './texts.ts'

/** Announces why a file was not imported. */
export function ImportFailed({ problem }: { problem: string }) {
  return (
    <div role="alert">
      <Panel title={texts.importFailed}>
        <p>{problem}</p>
      </Panel>
    </div>
  )
}
