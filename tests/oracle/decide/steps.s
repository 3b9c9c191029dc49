// Lets the other files declare functions whose bodies are in the scheduler.
