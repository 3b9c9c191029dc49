// The page stands without this. Here: which pod is looked at, and every node of it.
(() => {
  const { copyButtons, explorer, make, number, pictures, searchBySlash, unfoldOnPaper } = shared;
  const data = JSON.parse(document.getElementById('data').textContent);
  const sections = [...document.querySelectorAll('section.pod')];
  const explorers = new Map();
  let current = 0;

  function open(index) {
    current = sections[index] ? index : 0;
    sections.forEach((section, i) => { section.hidden = i !== current; });
    const home = sections[current]?.querySelector('.explorer');
    if (home && !explorers.has(current)) explorers.set(current, explorer(data, home, current));
    explorers.get(current)?.later();
  }
  const asked = () => Number(/^#pod-(\d+)$/.exec(location.hash)?.[1] ?? 0);

  const pods = document.getElementById('pods');
  if (pods) {
    const select = make('select', { id: 'picker' });
    [...pods.children].forEach((item, i) => select.add(new Option(item.textContent, i)));
    select.addEventListener('change', () => { location.hash = `pod-${select.value}`; });
    addEventListener('hashchange', () => { open(asked()); select.value = current; });
    pods.replaceWith(make('div', { class: 'picker' }, make('label', { for: 'picker' }, 'Pod'), select, make('span', { class: 'quiet' }, `${number(sections.length)} pods`)));
    select.value = asked();
  }
  searchBySlash(() => explorers.get(current)?.search);
  copyButtons(document);
  pictures(document);
  unfoldOnPaper();
  // The answer is painted first, the nodes come after it.
  requestAnimationFrame(() => setTimeout(() => { open(asked()); document.documentElement.dataset.ready = ''; }));
})();
