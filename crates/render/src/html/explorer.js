'use strict';
// What pages about decisions share: every node of a pod, and small helps. Texts become text nodes, never markup.
const shared = (() => {
  const SPARE = 8, PRINTED = 1000;
  // The heights of a row, as in the style.
  const narrow = matchMedia('(max-width: 40rem)');
  const rowHeight = () => (narrow.matches ? 64 : 28);
  const number = (n) => n.toLocaleString('en');
  const count = (n, noun) => `${number(n)} ${noun}${n === 1 ? '' : 's'}`;

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  /** What a table row says of preemption on a node. */
  function preemption(data, pod, node) {
    if (pod.untried !== null) return { text: 'preemption not tried' };
    const run = pod.runs[pod.run[node]];
    if (!run) return { text: pod.preempts ? 'not helpful' : '' };
    if (run.reasons) return { text: run.reasons.map((t) => data.texts[t]).join(', ') };
    const pdb = run.violations === null ? ', PDBs unknown' : run.violations ? `, ${count(run.violations, 'PDB violation')}` : '';
    pod.winners ??= pod.runs.filter((r) => r.wins).length;
    const wins = pod.winners > 1 ? '★ may win: ' : '★ wins: ';
    return { text: `${run.wins ? wins : ''}evicts ${count(run.victims, 'pod')}${pdb}`, wins: run.wins, candidate: true };
  }

  /** Sign, class and words of a cell of the matrix. */
  function cell(pod, verdict, column) {
    if (verdict.kind === 'fits') return ['✓', 'pass', 'passed'];
    if (column === verdict.at) return ['✗', 'fail', 'rejects'];
    if (verdict.also) return verdict.also.some(([at]) => at === column) ? ['✗', 'fail', 'also rejects'] : ['✓', 'pass', 'passed'];
    if (pod.all && verdict.kind === 'refused') return ['·', 'skip', 'not reported'];
    return verdict.kind === 'refused' && column < verdict.at ? ['✓', 'pass', 'passed'] : ['·', 'skip', 'not reached'];
  }

  /** Every node of a pod, in `home`. What it listens to outside of it ends with `signal`. */
  function explorer(data, home, index, signal) {
    const pod = data.pods[index];
    const columns = pod.plugins.length;
    let shown = [], active = -1, printing = false, queued = false;

    const search = make('input', { type: 'search', placeholder: 'Search nodes, pods, reasons  ( / )', 'aria-label': 'Search nodes' });
    const cause = make('select', { 'aria-label': 'Cause' }, new Option('every cause', ''));
    pod.causes.forEach(([text, nodes], i) => cause.add(new Option(`${number(nodes)}  ${data.texts[text]}`, i)));
    const only = make('input', { type: 'checkbox', id: `only-${index}` });
    const status = make('span', { class: 'quiet', role: 'status' });
    const head = make('div', { class: 'row head', role: 'row', 'aria-rowindex': 1 },
      make('span', { role: 'columnheader' }, 'Node'),
      ...pod.plugins.map((name) => make('span', { class: 'plugin', role: 'columnheader' }, name)),
      make('span', { role: 'columnheader' }, 'Preemption'));
    const body = make('div', { class: 'body', role: 'rowgroup' });
    const grid = make('div', { class: 'grid', role: 'grid', tabindex: 0, 'aria-label': 'Nodes and filters', 'aria-colcount': columns + 2 }, head, body);
    const detail = make('div', { class: 'detail', 'aria-live': 'polite', hidden: '' });
    const cut = make('p', { class: 'quiet', hidden: '' });
    home.append(
      make('div', { class: 'tools' }, search, cause, make('label', { for: only.id }, only, ' candidates only'), status),
      grid, cut,
      make('p', { class: 'quiet legend' }, '✓ passed, or had nothing to check   ✗ rejects   · ' + (pod.all ? 'not reported' : 'not reached') + '   ★ the scheduler may pick it.   Arrow keys move, Enter shows a node, / searches.'),
      detail);

    /** What the search looks through, made when it is first used. */
    let haystack = null;
    function words(node) {
      const verdict = pod.verdicts[pod.verdict[node]], run = pod.runs[pod.run[node]];
      const texts = verdict.reasons ? [...verdict.reasons] : [];
      if (run) texts.push(...(run.reasons || run.pods.map((p) => p.flat()).flatMap((p) => [p[0], p[3]])));
      const plugin = verdict.at === undefined ? '' : pod.plugins[verdict.at];
      return [data.nodes[node], plugin, ...texts.map((t) => data.texts[t])].join('\n').toLowerCase();
    }

    function filter() {
      const query = search.value.trim().toLowerCase();
      if (query && !haystack) haystack = data.nodes.map((_, node) => words(node));
      const terms = query.split(/\s+/);
      shown = [];
      for (let node = 0; node < pod.verdict.length; node++) {
        if (cause.value !== '' && pod.cause[node] !== Number(cause.value)) continue;
        if (only.checked && !preemption(data, pod, node).candidate) continue;
        if (query && !terms.every((term) => haystack[node].includes(term))) continue;
        shown.push(node);
      }
      // The winners are what one looks for first, then the candidates by rank.
      const rank = (node) => { const run = pod.runs[pod.run[node]]; return run && !run.reasons ? run.rank : Infinity; };
      shown.sort((a, b) => (rank(a) === rank(b) ? a - b : rank(a) - rank(b)));
      active = Math.min(active, shown.length - 1);
      status.textContent = `${number(shown.length)} of ${count(pod.verdict.length, 'node')}`;
      grid.setAttribute('aria-rowcount', shown.length + 1);
      grid.scrollTop = 0;
      draw();
    }

    function row(at) {
      const node = shown[at], verdict = pod.verdicts[pod.verdict[node]], text = preemption(data, pod, node);
      const cells = pod.plugins.map((name, column) => {
        const [sign, kind, said] = cell(pod, verdict, column);
        return make('span', { class: kind, role: 'gridcell', 'data-plugin': name, title: `${name}: ${said}`, 'aria-label': `${name}: ${said}` }, sign);
      });
      const element = make('div', {
        class: at === active ? 'row active' : 'row', role: 'row', id: `row-${index}-${at}`, 'data-at': at,
        'aria-rowindex': at + 2, 'aria-selected': at === active,
      }, make('span', { role: 'rowheader', title: data.nodes[node] }, data.nodes[node]), ...cells,
        make('span', { class: text.wins ? 'wins' : '', role: 'gridcell', title: text.text }, text.text));
      element.style.transform = `translateY(${at * rowHeight()}px)`;
      return element;
    }

    function draw() {
      queued = false;
      const ROW = rowHeight();
      let from = Math.max(0, Math.floor(grid.scrollTop / ROW) - SPARE);
      let to = Math.min(shown.length, from + Math.ceil(grid.clientHeight / ROW) + 2 * SPARE);
      if (printing) [from, to] = [0, Math.min(shown.length, PRINTED)];
      body.style.height = `${shown.length * ROW}px`;
      const rows = [];
      for (let at = from; at < to; at++) rows.push(row(at));
      body.replaceChildren(...rows);
      if (active >= from && active < to) grid.setAttribute('aria-activedescendant', `row-${index}-${active}`);
      else grid.removeAttribute('aria-activedescendant');
      cut.hidden = !(printing && shown.length > PRINTED);
      cut.textContent = `The first ${number(PRINTED)} of ${count(shown.length, 'node')} are printed; -o csv has them all.`;
    }

    function later() {
      if (!queued) { queued = true; requestAnimationFrame(draw); }
    }

    function move(to) {
      active = Math.max(0, Math.min(shown.length - 1, to));
      const room = grid.clientHeight - head.offsetHeight, ROW = rowHeight();
      if (active * ROW < grid.scrollTop) grid.scrollTop = active * ROW;
      else if ((active + 1) * ROW > grid.scrollTop + room) grid.scrollTop = (active + 1) * ROW - room;
      draw();
    }

    function list(title, items) {
      return items.length ? [make('strong', {}, title), make('ul', {}, ...items)] : [];
    }

    function reason(text, whole) {
      const item = make('li', {}, make('code', {}, data.texts[whole]));
      const meaning = data.meanings[data.texts[text]];
      if (meaning) item.append(make('br'), make('span', { class: 'quiet' }, `${meaning[1]} (${meaning[0]})`));
      return item;
    }

    function show(at) {
      const node = shown[at], verdict = pod.verdicts[pod.verdict[node]], run = pod.runs[pod.run[node]];
      const reasons = verdict.reasons || [], items = [];
      for (let i = 0; i < reasons.length; i += 2) items.push(reason(reasons[i], reasons[i + 1]));
      const who = verdict.at === undefined ? { fits: 'The pod fits.', untried: 'Not looked at.', excluded: 'Left out before filtering.', error: 'The filters failed.' }[verdict.kind]
        : `${pod.plugins[verdict.at]} rejects${verdict.hard ? '; evicting pods cannot help' : ''}:`;
      const also = (verdict.also || []).map(([column, text]) => make('li', {}, `${pod.plugins[column]}: ${data.texts[text]}`));
      detail.replaceChildren(make('h3', {}, data.nodes[node]), ...(items.length ? list(who, items) : [make('p', {}, who)]), ...list('Also refuse it:', also));
      if (run && run.reasons) {
        detail.append(...list('Preemption does not help here:', run.reasons.map((t) => make('li', {}, make('code', {}, data.texts[t])))));
      } else if (run) {
        detail.append(make('p', {}, make('strong', {}, `${run.wins ? '★ The scheduler may pick it. ' : ''}Candidate ${number(run.rank + 1)} of ${number(pod.runs.filter((r) => !r.reasons).length)}: evicts ${count(run.victims, 'pod')}, spares ${number(run.spared)}.`)), timeline(run));
        if (run.pods.length < run.victims + run.spared) detail.append(make('p', { class: 'quiet' }, 'Not all pods of this candidate are listed; -o json has them.'));
      }
      detail.hidden = false;
    }

    function timeline(run) {
      return make('ol', { class: 'timeline' }, ...run.pods.map((told) => {
        // Victims come with more than those who stay.
        const [[name, priority, age, owner, state], budgets, blocks] = Array.isArray(told[0]) ? told : [told, null, null];
        const gone = state & 1;
        const item = make('li', {}, make('span', { class: gone ? 'bad' : 'good' }, gone ? '✗ evicted ' : '✓ reprieved '), data.texts[name],
          make('span', { class: 'quiet' }, `  priority ${priority} · ${data.texts[age]} · ${data.texts[owner]}${state & 2 ? ' · would violate a PDB, so tried first' : ''}`));
        if (budgets !== null) item.append(make('strong', { class: 'bad' }, `  ! violates ${data.texts[budgets]}`));
        if (blocks !== null) item.append(' ', make('code', {}, data.texts[blocks]));
        return item;
      }));
    }

    grid.addEventListener('scroll', later, { passive: true });
    addEventListener('resize', later, { signal });
    search.addEventListener('input', () => { active = -1; filter(); });
    cause.addEventListener('change', () => { active = -1; filter(); });
    only.addEventListener('change', () => { active = -1; filter(); });
    search.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && search.value) { search.value = ''; filter(); event.preventDefault(); }
      if (event.key === 'ArrowDown') { grid.focus(); move(0); event.preventDefault(); }
    });
    body.addEventListener('click', (event) => {
      const element = event.target.closest('.row');
      if (element) { move(Number(element.dataset.at)); show(active); }
    });
    grid.addEventListener('keydown', (event) => {
      const page = Math.max(1, Math.floor((grid.clientHeight - head.offsetHeight) / rowHeight()) - 1);
      const to = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: shown.length - 1 }[event.key];
      if (to !== undefined) move(to);
      else if ((event.key === 'Enter' || event.key === ' ') && active >= 0) show(active);
      else if (event.key === 'Escape') detail.hidden = true;
      else return;
      event.preventDefault();
    });
    const print = (on) => () => { printing = on; draw(); };
    addEventListener('beforeprint', print(true), { signal });
    addEventListener('afterprint', print(false), { signal });
    filter();
    return { search, later };
  }

  /** The key / goes to a search, if there is one. */
  function searchBySlash(find) {
    document.addEventListener('keydown', (event) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
      const search = find();
      if (!search) return;
      const folded = search.closest('details');
      if (folded) folded.open = true;
      search.focus();
      search.select();
      event.preventDefault();
    });
  }

  /** A command can be copied with a click. */
  function copyButtons(root) {
    if (!navigator.clipboard) return;
    for (const code of root.querySelectorAll('.copy')) {
      const button = make('button', { class: 'copied', type: 'button' }, 'Copy');
      button.addEventListener('click', () => navigator.clipboard.writeText(code.textContent).then(() => { button.textContent = 'Copied'; }));
      code.after(button);
    }
  }

  /** What a part of a picture says is shown below it while it is pointed at or has the focus. Arrow keys move to the next part. */
  function pictures(root) {
    for (const picture of root.querySelectorAll('.picture')) {
      const parts = [...picture.querySelectorAll('[title]')];
      const says = make('p', { class: 'says quiet', 'aria-live': 'polite' }, 'Point at a part, or move with the arrow keys.');
      picture.append(says);
      const tell = ({ target }) => { const part = target.closest('[title]'); if (part) says.textContent = part.title; };
      const show = (part) => { parts.forEach((other) => { other.tabIndex = other === part ? 0 : -1; }); };
      show(parts[0]);
      picture.addEventListener('mouseover', tell);
      picture.addEventListener('focusin', (event) => { tell(event); if (parts.includes(event.target)) show(event.target); });
      picture.addEventListener('keydown', (event) => {
        const at = parts.indexOf(event.target);
        if (at < 0) return;
        const place = (part) => part.getBoundingClientRect();
        const { left, top, bottom } = place(parts[at]);
        // The part of another line that stands closest.
        const closest = (found) => found.sort((a, b) => Math.abs(place(a).top - top) - Math.abs(place(b).top - top) || Math.abs(place(a).left - left) - Math.abs(place(b).left - left))[0];
        const to = {
          ArrowRight: () => parts[at + 1], ArrowLeft: () => parts[at - 1], Home: () => parts[0], End: () => parts[parts.length - 1],
          ArrowDown: () => closest(parts.filter((part) => place(part).top >= bottom)),
          ArrowUp: () => closest(parts.filter((part) => place(part).bottom <= top)),
        }[event.key];
        if (!to) return;
        to()?.focus();
        event.preventDefault();
      });
    }
  }

  /** On paper everything is unfolded. */
  function unfoldOnPaper() {
    let folded = [];
    addEventListener('beforeprint', () => {
      folded = [...document.querySelectorAll('details:not([open])')];
      folded.forEach((details) => { details.open = true; });
    });
    addEventListener('afterprint', () => folded.forEach((details) => { details.open = false; }));
  }

  return { copyButtons, count, explorer, make, number, pictures, searchBySlash, unfoldOnPaper };
})();
