import { Component, type ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { Empty } from '../components/states.tsx'

/** A mistake of the page's own code, or a part of it that could not be fetched: said, instead of a blank page. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override render() {
    if (!this.state.isBroken) return this.props.children
    return (
      <div role="alert">
        <Empty title="This page broke" isPage>
          <p>Something went wrong while it was being shown. Loading it again often helps, after an update above all.</p>
          <Button onClick={() => location.reload()}>Load it again</Button>
        </Empty>
      </div>
    )
  }
}
