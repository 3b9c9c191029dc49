import { registerDetailsViewSection } from '@kinvolk/headlamp-plugin/lib';
import { Loader, SectionBox } from '@kinvolk/headlamp-plugin/lib/CommonComponents';
import { useEffect, useState } from 'react';
import style from '../parts/page.css?raw';
import { readCluster } from './cluster';
import { Engine } from './engine';

/** What may happen in the frame: it is styled, and nothing else. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** The engine's answer about a pod, as a page. */
export async function explain(cluster: string, namespace: string, name: string): Promise<string> {
  const engine = new Engine();
  try {
    await engine.start();
    const { kinds, programs } = await engine.ask({ ask: 'kinds' });
    const lent = await readCluster(cluster, namespace, kinds, programs);
    const files = lent.map(file => ({ path: file.name, size: file.size }));
    const present = new Date().toISOString();
    await engine.ask({ ask: 'read', name: '', isDirectory: false, files, present, cluster }, lent);
    const { html } = await engine.ask({ ask: 'pod', namespace, name });
    // The list of every node needs a script, which this frame does not run.
    return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">
<style>${style} .nodes { display: none }</style>${html}`;
  } finally {
    engine.end();
  }
}

function WhyPending({
  cluster,
  namespace,
  name,
}: Record<'cluster' | 'namespace' | 'name', string>) {
  const [page, setPage] = useState('');
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let isGone = false;
    explain(cluster, namespace, name).then(
      page => isGone || setPage(page),
      error => isGone || setProblem(error.message)
    );
    return () => {
      isGone = true;
    };
  }, [cluster, namespace, name]);

  let content = <Loader title="Reading the cluster" />;
  if (problem) content = <p role="alert">{problem}</p>;
  if (page) {
    const shape = { width: '100%', height: '70vh', border: 0 };
    content = <iframe title="kubectl preempt explain" sandbox="" srcDoc={page} style={shape} />;
  }
  return <SectionBox title="Why is it pending">{content}</SectionBox>;
}

registerDetailsViewSection(({ resource }) => {
  const pod = resource?.jsonData;
  if (pod?.kind !== 'Pod' || pod.status?.phase !== 'Pending' || pod.spec.nodeName) return null;
  const { namespace, name, uid } = pod.metadata;
  return <WhyPending key={uid} cluster={resource.cluster} namespace={namespace} name={name} />;
});
