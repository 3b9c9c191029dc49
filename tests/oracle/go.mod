module oracle

go 1.24.0
