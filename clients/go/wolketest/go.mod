module wolke.example/wolketest

go 1.22
