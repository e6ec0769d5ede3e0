Console.WriteLine("0.1.0");
return 0;
