// A page of a report stands without this. Here: what pictures say, and commands that can be copied.
shared.pictures(document);
shared.copyButtons(document);
shared.unfoldOnPaper();
document.documentElement.dataset.ready = '';
