module controlplane

go 1.24.0
